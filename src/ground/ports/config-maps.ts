import type { ConfigMap } from '../model/config-map.ts'
import type { ObjectRef } from '../model/object-ref.ts'

/** Rejects with WorldError (code KUBE_*), or with the signal's reason. */
export interface ConfigMaps {
  /** Undefined where there is none. */
  read(ref: ObjectRef, signal: AbortSignal): Promise<ConfigMap | undefined>
  /**
   * Creates where `resourceVersion` is empty, otherwise sets data and annotations of that version. WorldError KUBE_CONFLICT
   * where another write was faster, KUBE_NOT_FOUND where it was deleted.
   */
  write(configMap: ConfigMap, signal: AbortSignal): Promise<ConfigMap>
}
