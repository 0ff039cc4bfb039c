import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { findBed } from '../owner/registry.ts'
import { missingForUp } from '../requirements.ts'
import { commandLineBed, type OwnerMessage } from './owner-message.ts'

const OWNER = join(import.meta.dirname, 'owner-process.ts')

/** Starts the process that owns the bed and waits until the bed is Ready. Gives the path of its kubeconfig. */
export async function up(nodes: number, say: (line: string) => void): Promise<string> {
  const [lacking] = missingForUp()
  if (lacking !== undefined) throw new Error(lacking)
  if (findBed(commandLineBed) !== undefined) throw new Error('a bed is up already: npm run testbed -- down')
  const owner = spawn(process.execPath, [OWNER, String(nodes)], {
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const kubeconfig = await new Promise<string>((resolve, reject) => {
    owner.on('message', (message: OwnerMessage) => {
      if ('line' in message) say(message.line)
      else if ('error' in message) reject(new Error(message.error))
      else resolve(message.kubeconfig)
    })
    owner.on('error', reject)
    owner.on('exit', (code, signal) => reject(new Error(`the owner of the bed ended early (${signal ?? code})`)))
  })
  owner.disconnect()
  owner.unref()
  return kubeconfig
}
