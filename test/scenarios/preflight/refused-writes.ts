import assert from 'node:assert/strict'
import { replicas } from '../../support/preflight/manifests.ts'
import type { PreflightGround } from '../../support/preflight/preflight-ground.ts'
import { LABELS_POLICY, POLICY_PATHS, REFUSED_BY_POLICY } from '../../support/trouble/labels-policy.ts'

const QUOTAS = '/api/v1/namespaces/default/resourcequotas'
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments'
const NOTHING_WRONG = { title: '', code: '', says: '', fix: '', exit: 0, explain: '' } as const

interface Told {
  readonly status?: {
    readonly used?: object
    readonly replicas?: number
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[]
  }
}

/** A Deployment says in the words of the API server why its second pod is not made. */
export async function quotaRefuses(ground: PreflightGround): Promise<void> {
  const { raw } = ground
  await ground.bringAbout({ ...NOTHING_WRONG })
  const read = async (path: string): Promise<Told> => (await raw('GET', path)).body as Told
  await raw('POST', QUOTAS, { metadata: { name: 'few' }, spec: { hard: { pods: '1' } } })
  if (ground.isReal)
    await ground.until('the quota', async () => (await read(`${QUOTAS}/few`)).status?.used !== undefined)
  const template = { metadata: { labels: { app: 'few' } }, spec: { containers: [{ name: 'main', image: 'none' }] } }
  const spec = { replicas: 2, selector: { matchLabels: { app: 'few' } }, template }
  assert.equal((await raw('POST', DEPLOYMENTS, { metadata: { name: 'few' }, spec })).status, 201)
  const failure = async () =>
    (await read(`${DEPLOYMENTS}/few`)).status?.conditions?.find(({ type }) => type === 'ReplicaFailure')
  await ground.until('a pod that is refused', async () => (await failure())?.status === 'True')
  assert.match(
    (await failure())?.message ?? '',
    /^pods "few-\S+" is forbidden: exceeded quota: few, requested: pods=1, used: pods=1, limited: pods=1$/,
  )
  assert.equal((await raw('DELETE', `${QUOTAS}/few`)).status, 200)
  await ground.until('its second pod', async () => (await read(`${DEPLOYMENTS}/few`)).status?.replicas === 2)
  assert.equal(await failure(), undefined)
  await raw('DELETE', `${DEPLOYMENTS}/few`, { propagationPolicy: 'Foreground' })
}

/** The messages of a real API server. The embedded API server gives the same ones to rolls in virtual time. */
export async function policyRefuses(ground: PreflightGround): Promise<void> {
  const { raw } = ground
  await ground.bringAbout({ ...NOTHING_WRONG, objects: replicas('cart', { on: ['n1'] }) })
  const [policy, binding] = LABELS_POLICY
  for (const [path, object] of [
    [POLICY_PATHS.policies, policy],
    [POLICY_PATHS.bindings, binding],
  ] as const)
    assert.equal((await raw('POST', path, object)).status, 201)
  const patch = (metadata: object) => raw('PATCH', '/api/v1/namespaces/default/pods/cart-0', { metadata })
  let tries = 0
  await ground.until('the policy to be heard', async () => {
    tries += 1
    return (await patch({ labels: { tried: String(tries) } })).status === 422
  })
  const { body } = await patch({ labels: { tried: 'again' } })
  assert.match((body as { readonly message: string }).message, REFUSED_BY_POLICY)
  assert.equal((await patch({ annotations: { tried: 'yes' } })).status, 200)
  for (const path of [POLICY_PATHS.bindings, POLICY_PATHS.policies]) await raw('DELETE', `${path}/labels`)
}
