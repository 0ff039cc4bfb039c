/** Milliseconds of a clock that never goes back; meaningless on another machine, and after a reboot. */
export type MonoMs = number & { readonly unit: 'mono-ms' }

/** Milliseconds since the epoch, by this machine's clock; for stamps and people, never for durations. */
export type WallMs = number & { readonly unit: 'wall-ms' }

export const monoMs = (ms: number): MonoMs => ms as MonoMs
export const wallMs = (ms: number): WallMs => ms as WallMs
export const toIso = (at: WallMs): string => new Date(at).toISOString()

/** In the form of the Kubernetes API (metav1.Time): whole seconds. */
export const toIsoSeconds = (at: WallMs): string => toIso(at).replace(/\.\d+Z$/, 'Z')
