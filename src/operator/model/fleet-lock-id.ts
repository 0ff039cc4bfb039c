import { createHmac } from 'node:crypto'

/** Of Zincati (src/identity/mod.rs, APP_ID). */
const ZINCATI = Buffer.from('de35106b6ec24688b63afddaa156679b', 'hex')

const MACHINE_ID = /^[0-9a-f]{32}$/

/** An id as it is compared: `/etc/machine-id` has no dashes, and some write it as a UUID. */
export const plainId = (id: string): string => id.toLowerCase().replaceAll('-', '')

/**
 * The ids by which a machine may ask: its machine id, and what Zincati makes of it (sd_id128_get_machine_app_specific(3)). Empty where the
 * kubelet reports none.
 */
export function idsOfMachine(machineId: string): readonly string[] {
  const plain = plainId(machineId)
  return MACHINE_ID.test(plain) ? [plain, appSpecific(plain)] : []
}

/** HMAC-SHA256 of the application's id, keyed by the machine id, cut to 128 bits and marked as a UUID of version 4. */
function appSpecific(machineId: string): string {
  const bytes = createHmac('sha256', Buffer.from(machineId, 'hex')).update(ZINCATI).digest().subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString('hex')
}
