import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GuardApiGround } from '../../support/guard-api/guard-api-ground.ts'
import { GuardedNodes } from '../../support/guard-api/guarded-nodes.ts'

type Ground = () => GuardApiGround

interface KindRow {
  readonly name: string
  readonly hold: (ground: GuardApiGround) => object
  /** Brings about that the node is held, or that it is not. */
  readonly set: (
    ground: GuardApiGround,
    of: { readonly name: string; readonly node: string },
    isHeld: boolean,
  ) => unknown
  readonly says: RegExp
}

const MAPS = '/api/v1/namespaces/default/configmaps'
const ATTACHMENTS = '/apis/storage.k8s.io/v1/volumeattachments'
const PODS = '/api/v1/namespaces/default/pods'

/** It is there while the node is held. */
const whileHeld =
  (path: string, made: (node: string) => { readonly metadata: { readonly name: string } }) =>
  async (ground: GuardApiGround, { node }: { readonly node: string }, isHeld: boolean): Promise<void> => {
    const object = made(node)
    if (isHeld) await ground.mustAsk('POST', path, object)
    else await ground.mustAsk('DELETE', `${path}/${object.metadata.name}`)
  }

const KINDS: readonly KindRow[] = [
  {
    name: 'volumes',
    hold: () => ({ volumes: { drivers: ['csi.example.com'] } }),
    set: whileHeld(ATTACHMENTS, (node) => ({
      metadata: { name: `of-${node}` },
      spec: { attacher: 'csi.example.com', nodeName: node, source: { persistentVolumeName: `pv-${node}` } },
    })),
    says: /volumes are attached: pv-volumes-1/,
  },
  {
    name: 'pods',
    hold: () => ({ pods: { namespace: 'default', selector: { app: 'db' } } }),
    set: whileHeld(PODS, (node) => ({
      metadata: { name: `db-on-${node}`, labels: { app: 'db' } },
      spec: { nodeName: node, containers: [{ name: 'db', image: 'registry.example/db:1' }] },
    })),
    says: /pods are on the node: default\/db-on-pods-1/,
  },
  {
    name: 'http',
    hold: ({ targets }) => ({ http: { url: targets.url('/http/{node}'), jsonPath: '$.status', equals: 'green' } }),
    set: ({ targets }, { node }, isHeld) => targets.set(`/http/${node}`, { status: isHeld ? 'yellow' : 'green' }),
    says: /http\/http-1 answered 200, \$\.status is yellow, not green/,
  },
  {
    name: 'object',
    hold: () => objectHold('object-{node}', "object.data.state == 'green'"),
    set: async (ground, { node }, isHeld) => {
      const data = { state: isHeld ? 'yellow' : 'green' }
      if (isHeld) await ground.mustAsk('POST', MAPS, { metadata: { name: `object-${node}` }, data })
      else await ground.mustAsk('PATCH', `${MAPS}/object-${node}`, { data })
    },
    says: /configmaps default\/object-object-1: not object\.data\.state == 'green'/,
  },
  {
    name: 'annotation',
    hold: () => ({ annotation: { key: 'example.com/busy' } }),
    set: (ground, { node }, isHeld) =>
      ground.patchNode(node, { metadata: { annotations: { 'example.com/busy': isHeld ? '' : null } } }),
    says: /the Node has the annotation example\.com\/busy/,
  },
]

export function objectHold(name: string, clearWhen: string, namespace = 'default'): object {
  return { object: { version: 'v1', resource: 'configmaps', namespace, name, clearWhen } }
}

/** Each kind of hold: held with its evidence, then granted once it is clear. */
export function kindsOfHolds(ground: Ground): void {
  for (const { name, hold, set, says } of KINDS) {
    test(`${name}: a node that asks is held with the evidence, and granted once the hold is clear`, async () => {
      const of = await GuardedNodes.open(ground(), name, { spec: { holds: [{ name: 'it', ...hold(ground()) }] } })
      await set(ground(), of, true)
      await of.cordon(true)
      await of.until('the node to be held', () => of.row() === 'Held HoldStands')
      assert.match(of.message(), says)
      assert.deepEqual([await of.evict(), of.condition('Held')], [429, 'True NodesHeld'])
      await set(ground(), of, false)
      await of.until('the node to be granted', () => of.row() === 'Granted NodeGranted')
      await of.drained()
      await of.back()
    })
  }
}

interface UnknownRow {
  readonly name: string
  readonly title: string
  readonly hold: (ground: GuardApiGround) => object
  readonly says: RegExp
}

const httpHold = (ground: GuardApiGround, path: string): object => ({
  http: { url: ground.targets.url(path), jsonPath: '$.status', equals: 'green', timeoutSeconds: 1 },
})

const UNKNOWN: readonly UnknownRow[] = [
  {
    name: 'missing',
    title: 'an object that is not there',
    hold: () => objectHold('nowhere', 'true'),
    says: /configmaps default\/nowhere is not there/,
  },
  {
    name: 'forbidden',
    title: 'a right that the controller does not have',
    hold: () => objectHold('any', 'true', 'kube-system'),
    says: /forbidden/,
  },
  {
    name: 'absent',
    title: 'a field that is absent',
    hold: () => objectHold('absent', "object.data.state == 'green'"),
    says: /object\.data\.state is absent/,
  },
  {
    name: 'hangs',
    title: 'a program that does not answer in time',
    hold: (ground) => httpHold(ground, '/hangs'),
    says: /has no whole answer within 1000 ms/,
  },
  {
    name: 'fails',
    title: 'a program that answers 500',
    hold: (ground) => httpHold(ground, '/fails'),
    says: /answered 500/,
  },
  {
    name: 'huge',
    title: 'a program that answers with 100 MB',
    hold: (ground) => httpHold(ground, '/huge'),
    says: /64 KiB|65536|larger/,
  },
]

/** What cannot be read holds its node, and says why. */
export function unknownHolds(ground: Ground): void {
  for (const { name, title, hold, says } of UNKNOWN) {
    test(`${title} holds the node, with the cause`, async () => {
      if (name === 'absent') await ground().mustAsk('POST', MAPS, { metadata: { name }, data: { other: 'x' } })
      if (name === 'hangs' || name === 'fails' || name === 'huge') ground().targets.set(`/${name}`, name)
      const of = await GuardedNodes.open(ground(), name, { spec: { holds: [{ name: 'it', ...hold(ground()) }] } })
      await of.cordon(true)
      await of.until('why it is not known', () => of.row() === 'Held HoldUnknown' && says.test(of.message()))
      assert.deepEqual([await of.evict(), of.condition('Held')], [429, 'True NodesHeld'])
      if (name === 'huge') assert.ok(ground().targets.sentOf('/huge') < 20_000_000, 'most of it is never taken')
    })
  }
}
