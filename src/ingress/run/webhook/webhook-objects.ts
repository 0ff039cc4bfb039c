import type { JsonPatch } from '../../../ground/model/json-patch.ts'
import type { ObjectKind } from '../../../ground/model/object-kind.ts'
import { parseMetadata } from '../../../ground/model/parse-metadata.ts'
import type { Untrusted } from '../../../ground/model/untrusted.ts'

export const WEBHOOK_SECRET = 'evenkeel-webhook-certificate'
export const WEBHOOK_CONFIGURATION = 'evenkeel-ingress'

/** A Secret; its values as text, each empty where it is none. */
export interface StoredSecret {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
  readonly values: Readonly<Record<string, string>>
}

export const SECRETS: ObjectKind<StoredSecret> = {
  group: '',
  version: 'v1',
  resource: 'secrets',
  kind: 'Secret',
  namespaced: true,
  parse: (object) => {
    const { namespace, name, uid, resourceVersion } = parseMetadata(object, 'namespaced')
    const values = Object.entries(object.at('data').textMap()).map(([key, value]) => [key, fromBase64(value)])
    return { namespace, name, uid, resourceVersion, values: Object.fromEntries(values) }
  },
}

/** The fields of a ValidatingWebhookConfiguration that are used. */
export interface WebhookConfiguration {
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
  readonly webhooks: readonly {
    /** By which an API server calls it. */
    readonly host: string
    /** What it trusts, in PEM. */
    readonly bundle: string
  }[]
}

export const CONFIGURATIONS: ObjectKind<WebhookConfiguration> = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  resource: 'validatingwebhookconfigurations',
  kind: 'ValidatingWebhookConfiguration',
  namespaced: false,
  parse: (object) => {
    const { name, uid, resourceVersion } = parseMetadata(object, 'cluster')
    const webhooks = object.at('webhooks').each()
    return {
      ...{ name, uid, resourceVersion },
      webhooks: webhooks.map((webhook) => {
        const client = webhook.at('clientConfig')
        return { host: hostOf(client), bundle: fromBase64(client.at('caBundle').textOr('')) }
      }),
    }
  },
}

/** As the API server verifies it (webhook.ServiceName, or the host of the URL); without brackets. */
function hostOf(client: Untrusted): string {
  const url = client.at('url').optionalText()
  if (url !== undefined) return URL.canParse(url) ? new URL(url).hostname.replace(/^\[(.*)\]$/, '$1') : ''
  const service = client.at('service')
  return `${service.at('name').text()}.${service.at('namespace').text()}.svc`
}

/** What API servers are to trust, under the version that was read. */
export const bundlePatch = ({ resourceVersion, webhooks }: WebhookConfiguration, bundle: string): JsonPatch => [
  { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion },
  ...webhooks.map((_, i) => ({
    op: 'add' as const,
    path: `/webhooks/${i}/clientConfig/caBundle`,
    value: toBase64(bundle),
  })),
]

export const toBase64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64')
const fromBase64 = (text: string): string => Buffer.from(text, 'base64').toString('utf8')
