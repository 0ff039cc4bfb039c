/** A v1 ConfigMap, as far as we keep something in one. */
export interface ConfigMap {
  readonly namespace: string
  readonly name: string
  /** Empty: it is to be made. */
  readonly resourceVersion: string
  readonly annotations: Readonly<Record<string, string>>
  readonly data: Readonly<Record<string, string>>
}
