import { type ChildProcess, spawn } from 'node:child_process'
import process from 'node:process'
import { ownProgram } from './own-program.ts'

/** Some megabytes are what the largest object and a usual expression take. */
const SMALL = '--max-old-space-size=64 --max-semi-space-size=4'

/** Starts the process that evaluates expressions of users. */
export const startRules = (): ChildProcess =>
  spawn(process.execPath, [ownProgram('rule-process')], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    // A single executable takes no option of Node from its command line.
    env: { ...process.env, NODE_OPTIONS: [process.env.NODE_OPTIONS ?? '', SMALL].join(' ').trim() },
  })
