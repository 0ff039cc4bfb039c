/** What the single executable runs: the tool, or a program that the tool starts as another process of the same file. */
import process from 'node:process'
import { type OwnProgram, ownWord } from './process/own-program.ts'

const OWN: Readonly<Record<OwnProgram, () => Promise<unknown>>> = {
  'probe-process': () => import('./probe-process.ts'),
  'rule-process': () => import('./rule-process.ts'),
  'reboot-machine': () => import('./demo/reboot-machine.ts'),
}

const word = process.argv[2]
const own = Object.entries(OWN).find(([name]) => word === ownWord(name as OwnProgram))?.[1]
if (own === undefined) void import('./evenkeel.ts')
else {
  process.argv.splice(2, 1)
  void own()
}
