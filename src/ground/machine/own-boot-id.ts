import { readFile } from 'node:fs/promises'
import { isBootId } from '../model/boot-id.ts'

/** The boot id of the machine that this process runs on; undefined where it cannot be read (no Linux, no /proc). */
export async function ownBootId(signal: AbortSignal): Promise<string | undefined> {
  try {
    const text = await readFile('/proc/sys/kernel/random/boot_id', { encoding: 'utf8', signal })
    return isBootId(text.trim()) ? text.trim() : undefined
  } catch {
    signal.throwIfAborted()
    return undefined
  }
}
