/** A v1 ConfigMap, with the fields that we use. */
export interface ConfigMap {
  readonly namespace: string
  readonly name: string
  /** Empty: it has to be created. */
  readonly resourceVersion: string
  readonly annotations: Readonly<Record<string, string>>
  readonly data: Readonly<Record<string, string>>
}
