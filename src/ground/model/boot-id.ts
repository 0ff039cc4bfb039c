/** The kernel's form, /proc/sys/kernel/random/boot_id (random(4)): no other form is ever sent to a machine. */
const BOOT_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** A kubelet of Windows reports the number of boots of its machine (kubernetes, pkg/kubelet/winstats). */
const BOOTS = /^\d{1,10}$/

/** What a kubelet may report, of whatever system. */
export const isReportedBootId = (text: string): boolean => isBootId(text) || BOOTS.test(text)

export const isBootId = (text: string): boolean => BOOT_ID.test(text)
