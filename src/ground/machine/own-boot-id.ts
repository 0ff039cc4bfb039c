import { readFile } from 'node:fs/promises'
import { isBootId } from '../model/boot-id.ts'

/** Of the machine this process runs on; undefined where it does not tell (no Linux, no /proc). */
export async function ownBootId(signal: AbortSignal): Promise<string | undefined> {
  try {
    const text = await readFile('/proc/sys/kernel/random/boot_id', { encoding: 'utf8', signal })
    return isBootId(text.trim()) ? text.trim() : undefined
  } catch {
    signal.throwIfAborted()
    return undefined
  }
}
