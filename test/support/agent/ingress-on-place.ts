import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { freePort } from '../../../bin/demo/free-port.ts'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import type { AgentPlace } from './agent-place.ts'
import { healthDeployment, MARK } from './health-deployment.ts'

const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments'
const MERGE = 'application/merge-patch+json'

/** Creates the Deployment of an IngressDaemonSet for n1, or changes what an agent goes by. */
export async function applyIngress(
  place: AgentPlace,
  change: Parameters<typeof healthDeployment>[0] = {},
): Promise<void> {
  const { metadata, status } = healthDeployment(change)
  const { name, namespace, labels, annotations } = metadata
  const owners = (metadata.ownerReferences ?? []).map(async (owner) => ({
    ...owner,
    uid: await uidOfOwner(place, owner),
  }))
  const ownerReferences = await Promise.all(owners)
  const app = { app: name }
  const spec = {
    selector: { matchLabels: app },
    template: { metadata: { labels: app }, spec: { containers: [{ name: 'proxy', image: 'none' }] } },
  }
  const body = {
    ...{ apiVersion: 'apps/v1', kind: 'Deployment' },
    metadata: { name, namespace, labels, annotations, ownerReferences },
    spec,
  }
  const created = await place.ask('POST', DEPLOYMENTS, { body })
  if (created === 409)
    assert.equal(
      await place.ask('PATCH', `${DEPLOYMENTS}/${name}`, {
        body: { metadata: { annotations: { [MARK]: null, ...annotations } } },
        contentType: MERGE,
      }),
      200,
    )
  else assert.equal(created, 201)
  const counted = { body: { status }, contentType: MERGE }
  assert.equal(await place.ask('PATCH', `${DEPLOYMENTS}/${name}/status`, counted), 200)
}

/** Creates the IngressDaemonSet if it is not there: what has no owner any more is collected. */
async function uidOfOwner(
  place: AgentPlace,
  { apiVersion, kind, name }: { readonly apiVersion: string; readonly kind: string; readonly name: string },
): Promise<string> {
  const path = `/apis/${apiVersion}/namespaces/default/ingressdaemonsets`
  await place.ask('POST', path, { body: { apiVersion, kind, metadata: { name }, spec: {} } })
  const { body } = await place.reply('GET', `${path}/${name}`)
  return (body as { readonly metadata: { readonly uid: string } }).metadata.uid
}

export const deleteIngress = async (place: AgentPlace, name: string): Promise<void> =>
  void assert.equal(await place.ask('DELETE', `${DEPLOYMENTS}/${name}-1`), 200)

/** Status and body of a page at a port of this machine; `refused` where nothing listens. */
export async function pageAt(port: number, path = '/nodecheck'): Promise<string> {
  try {
    const reply = await fetch(`http://127.0.0.1:${port}${path}`)
    return `${reply.status} ${await reply.text()}`
  } catch {
    return 'refused'
  }
}

export const portAnswers = (port: number, wanted: string, path?: string): Promise<true> => {
  const seen: { last?: string } = {}
  const wait = { what: `${wanted} at port ${port}`, limitMs: 10_000, everyMs: 5, explain: () => `${seen.last}` }
  return waitFor(wait, async () => {
    seen.last = await pageAt(port, path)
    return seen.last === wanted ? true : undefined
  })
}

/** Asks a page at that port until the function is called, which gives all that it heard. */
export function askWithoutEnd(t: TestContext, port: number): () => Promise<readonly string[]> {
  const over = new AbortController()
  t.after(() => over.abort())
  const heard = (async () => {
    const seen: string[] = []
    while (!over.signal.aborted) seen.push(await pageAt(port))
    return seen
  })()
  return async () => {
    over.abort()
    return heard
  }
}

/** Of this machine, for health ports. */
export const freePorts = (count: number): Promise<readonly number[]> =>
  Promise.all(Array.from({ length: count }, () => freePort('127.0.0.1', undefined)))
