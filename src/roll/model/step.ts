/** The ladder of one node, in order (design section 4). */
export const STEPS = [
  'slot',
  'record',
  'cordon',
  'detach',
  'drain',
  'reboot',
  'proof',
  'uncordon',
  'settle',
  'attach',
  'soak',
] as const

export type Step = (typeof STEPS)[number]
