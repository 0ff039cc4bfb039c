export interface IngressRow {
  readonly title: string
  readonly object: object
  /** Code and field of each finding; empty where nothing is wrong. */
  readonly says: readonly string[]
}

type Fields = Readonly<Record<string, unknown>>

/** An object that is right in every group. */
export const CONTAINER = { name: 'web', image: 'web:1' }
const TEMPLATE = { metadata: { labels: { app: 'web' } }, spec: { containers: [CONTAINER] } }

export const ingress = (spec: Fields, name = 'web'): object => ({
  apiVersion: 'evenkeel.dev/v1alpha1',
  kind: 'IngressDaemonSet',
  metadata: { name, namespace: 'default' },
  spec: { template: TEMPLATE, ...spec },
})

export const rolling = (rollingUpdate: Fields, spec: Fields = {}): object =>
  ingress({ ...spec, updateStrategy: { type: 'RollingUpdate', rollingUpdate } })

/** With these fields of the pod beside its container. */
export const pod = (fields: Fields, spec: Fields = {}): object =>
  ingress({ ...spec, template: { ...TEMPLATE, spec: { ...TEMPLATE.spec, ...fields } } })

export const templateMetadata = (metadata: Fields | undefined, spec: Fields = {}): object =>
  ingress({ ...spec, template: { spec: TEMPLATE.spec, ...(metadata === undefined ? {} : { metadata }) } })

export const container = (...ports: readonly Fields[]): Fields => ({ containers: [{ ...CONTAINER, ports }] })

export const row = (title: string, object: object, ...says: readonly string[]): IngressRow => ({ title, object, says })

/** Where most of the fields are. */
export const R = 'spec.updateStrategy.rollingUpdate'
