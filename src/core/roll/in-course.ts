/** Holds that take their course, and end by themselves unless something is broken. */
export const IN_COURSE: ReadonlySet<string> = new Set([
  'ApiWasAway',
  'OneAtATime',
  'PodLeaving',
  'ReplacementNotReady',
  'VolumeAttached',
])
