/** Milliseconds of a clock that never goes back; meaningless on another machine, and after its next boot. */
export type MonoMs = number & { readonly unit: 'mono-ms' }

/** Milliseconds since the epoch, as this machine believes; for stamps and people, never for durations. */
export type WallMs = number & { readonly unit: 'wall-ms' }

export const monoMs = (ms: number): MonoMs => ms as MonoMs
export const wallMs = (ms: number): WallMs => ms as WallMs
export const toIso = (at: WallMs): string => new Date(at).toISOString()

/** As the Kubernetes API keeps times (metav1.Time): in whole seconds. */
export const toIsoSeconds = (at: WallMs): string => toIso(at).replace(/\.\d+Z$/, 'Z')
