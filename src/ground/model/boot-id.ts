/** The kernel's form, /proc/sys/kernel/random/boot_id (random(4)): no other form is ever sent to a machine. */
const BOOT_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export const isBootId = (text: string): boolean => BOOT_ID.test(text)
