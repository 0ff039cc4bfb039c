import { firstOf } from '../../../ground/model/first-of.ts'
import type { Node } from '../../../ground/model/node.ts'
import type { HaproxyConfig } from '../../../service/model/haproxy-config.ts'
import { chooseBackends, type KeptBackend, type KeptInstance } from './choose-backends.ts'
import { type Answers, answerTo, oneOf, type Question } from './init-question.ts'
import type { InitSnapshot, OtherWay, SeenInstance } from './init-snapshot.ts'
import { addressFields } from './instance-address.ts'
import { instanceDifferences } from './instance-differences.ts'
import type { Field, ListItem, Part } from './roll-file-outline.ts'

interface BalancerChoice extends Part {
  readonly questions: readonly Question[]
  /** All backends of the file. */
  readonly kept: readonly KeptBackend[]
}

/** `spec.balancers`. */
export function chooseBalancers(
  snapshot: InitSnapshot,
  nodes: readonly Node[] | undefined,
  answers: Answers,
): BalancerChoice {
  if (snapshot.noBalancer) return { ...NOTHING, found: ['no load balancer, as you said'] }
  if (snapshot.otherWay !== undefined) return otherBalancer(snapshot.otherWay)
  if (snapshot.instances.length === 0) return notKnown(snapshot, nodes ?? [])
  const choices = snapshot.instances.map((instance) => ({
    instance,
    ...chooseBackends(snapshot, instance, nodes ?? []),
  }))
  const leftOut = nodes === undefined ? [] : choices.flatMap((choice) => choice.leftOut)
  const agreed = agree(
    choices.filter(({ kept }) => kept.length > 0),
    answers,
  )
  const used = agreed.used.map(({ instance }) => instance)
  const unused = snapshot.instances.filter((instance) => !used.includes(instance))
  const balancers = balancerItems(agreed.used, agreed.differences)
  const off = unused.map((instance) => unusedItem(instance, whyUnused(instance, { nodes, agreed })))
  return {
    fields: [{ key: 'balancers', value: { items: [...balancers, ...off] }, comment: ALLOW_LIST }],
    found: [...choices.flatMap(foundOf), ...unlikeConfig(snapshot, nodes ?? [], agreed.used)],
    leftOut: [
      ...leftOut,
      ...unused.map((instance) => ({
        what: `HAProxy ${instance.name} (${instance.at})`,
        why: whyUnused(instance, { nodes, agreed }),
      })),
    ],
    questions: agreed.questions,
    kept: agreed.used.flatMap(({ kept }) => kept),
  }
}

const NOTHING = { fields: [], found: [], leftOut: [], questions: [], kept: [] } as const

const ALLOW_LIST =
  'The load balancers in front of the nodes. A roll touches only servers of the backends that are named here.'

function notKnown(snapshot: InitSnapshot, nodes: readonly Node[]): BalancerChoice {
  const { config } = snapshot
  const ofConfig = config === undefined ? [] : chooseBackends(snapshot, configInstance(config), nodes).kept
  const [why, comment] =
    config === undefined
      ? [
          'no runtime socket and no haproxy.cfg was found or named; use --haproxy-socket or --haproxy-config',
          'No HAProxy was found. Name every process that sends traffic to the nodes. For all other load balancers: docs/roll-balancers.md.',
        ]
      : [
          `${config.file} has no runtime socket; add to its section global: ${SOCKET_LINE}`,
          `${config.file} has no runtime socket. Add to its section global: ${SOCKET_LINE}`,
        ]
  const names = ofConfig.map(({ backend }) => backend.name)
  const instance: Field[] = [
    { key: 'name', value: 'lb-1' },
    { key: 'socket', value: '/run/haproxy/admin.sock' },
  ]
  const example: Field[] = [
    { key: 'name', value: 'edge' },
    { key: 'instances', value: { items: [{ value: { fields: instance } }] } },
    { key: 'backends', value: names.length === 0 ? ['web'] : names },
  ]
  const items: ListItem[] = [{ value: { fields: example }, off: true }]
  return {
    ...NOTHING,
    fields: [{ key: 'balancers', value: { items }, comment }],
    leftOut: [{ what: 'load balancers', why }],
  }
}

/** What only a person knows of such a balancer stays a comment with an example in it. */
function otherBalancer(way: OtherWay): BalancerChoice {
  const { field, fields, page } = WAYS[way]
  const example: Field[] = [
    { key: 'name', value: 'edge' },
    { key: field, value: { fields } },
  ]
  const comment = `The load balancers in front of the nodes, as an example. Put your values in, and take the "#" away: ${page}.`
  return {
    ...NOTHING,
    fields: [{ key: 'balancers', value: { items: [{ value: { fields: example }, off: true }] }, comment }],
    leftOut: [{ what: 'load balancers', why: `the values of "${field}" are yours to write; see ${page}` }],
  }
}

const PORT: Field = { key: 'dataPort', value: 443 }
const CHECKS: Field = {
  key: 'checks',
  value: {
    fields: [
      { key: 'interval', value: '2s' },
      { key: 'fall', value: 3 },
      { key: 'rise', value: 2 },
    ],
  },
}

const WAYS: Readonly<
  Record<OtherWay, { readonly field: string; readonly fields: readonly Field[]; readonly page: string }>
> = {
  'health-check': {
    field: 'healthCheck',
    fields: [
      { key: 'taint', value: 'ToBeDeletedByClusterAutoscaler' },
      { key: 'check', value: { fields: [{ key: 'url', value: 'http://{address}:10256/healthz' }] } },
      CHECKS,
      PORT,
    ],
    page: 'docs/balancer-health-check.md',
  },
  agent: { field: 'healthEndpoint', fields: [PORT, CHECKS], page: 'docs/roll-balancers.md' },
  annotation: {
    field: 'annotation',
    fields: [
      { key: 'key', value: 'node-detacher.variant.run/detached' },
      { key: 'detachedKey', value: 'node-detacher.variant.run/detachment-timestamp' },
      PORT,
    ],
    page: 'docs/roll-balancers.md',
  },
  commands: {
    field: 'commands',
    fields: [
      { key: 'detach', value: ['/usr/local/bin/lb', 'detach', '{node}'] },
      { key: 'attach', value: ['/usr/local/bin/lb', 'attach', '{node}'] },
      { key: 'status', value: ['/usr/local/bin/lb', 'status', '{node}'] },
      PORT,
    ],
    page: 'docs/balancer-commands.md',
  },
}

const SOCKET_LINE = 'stats socket /run/haproxy/admin.sock mode 660 level admin'

/** A haproxy.cfg as if a process ran with it. */
const configInstance = ({ file, backends }: HaproxyConfig): SeenInstance => ({
  name: file,
  address: { kind: 'unix', path: '' },
  at: file,
  backends: { is: 'found', value: backends },
})

/** Differences between a process and its haproxy.cfg: it was not reloaded, or another file is its own. */
function unlikeConfig(
  snapshot: InitSnapshot,
  nodes: readonly Node[],
  used: readonly KeptInstance[],
): readonly string[] {
  const { config } = snapshot
  const isResolved = config?.backends.every(({ servers }) => servers.every(({ address }) => address !== '')) === true
  if (config === undefined || !isResolved) return []
  const instance = configInstance(config)
  const written = { instance, kept: chooseBackends(snapshot, instance, nodes).kept }
  return used
    .filter((running) => running.instance.silent === undefined)
    .flatMap((running) => instanceDifferences([running, written]))
}

interface Agreed {
  readonly used: readonly KeptInstance[]
  readonly differences: readonly string[]
  /** The one that a person chose where they differ. */
  readonly right?: string
  readonly questions: readonly Question[]
}

/** Where instances differ, only a person knows whether one of them is old. */
function agree(kept: readonly KeptInstance[], answers: Answers): Agreed {
  const differences = instanceDifferences(kept)
  if (differences.length === 0) return { used: kept, differences, questions: [] }
  const names = kept.map(({ instance }) => instance.name)
  const question: Question = {
    id: 'balancer',
    about: 'HAProxy that sends traffic to the nodes',
    why: `The HAProxies disagree: ${firstOf(differences)}.`,
    ask: `Which of them sends traffic to the nodes: all, ${names.join(', ')}?`,
    preset: 'all',
    faultOf: oneOf(['all', ...names]),
  }
  const right = answerTo(question, answers)
  const questions = [question]
  if (right === 'all') return { used: kept, differences, questions }
  return { used: kept.filter(({ instance }) => instance.name === right), differences: [], right, questions }
}

/** Instances with the same backends are one balancer. */
function balancerItems(used: readonly KeptInstance[], differences: readonly string[]): readonly ListItem[] {
  const groups = [
    ...Map.groupBy(used, ({ kept }) =>
      kept
        .map(({ backend }) => backend.name)
        .toSorted()
        .join(' '),
    ).values(),
  ]
  const disagreement =
    differences.length === 0
      ? {}
      : { comment: `The HAProxies disagree. Correct this before a roll: ${differences.join('; ')}.` }
  return groups.map((group, at) => {
    const [first] = group
    const name = groups.length === 1 ? 'edge' : `edge-${first?.instance.name ?? at}`.slice(0, 63)
    const instances = group.map(({ instance }) => instanceItem(instance))
    const backends = (first?.kept ?? []).map(({ backend, about }) => ({ value: backend.name, comment: about }))
    const fields: Field[] = [
      { key: 'name', value: name },
      { key: 'instances', value: { items: instances } },
      { key: 'backends', value: { items: backends } },
    ]
    return { value: { fields }, ...(at === 0 ? disagreement : {}) }
  })
}

function instanceItem(instance: SeenInstance): ListItem {
  const { name, address, silent, level = 'admin' } = instance
  const fields: Field[] = [{ key: 'name', value: name }, ...addressFields(address)]
  const comments = [
    ...(silent === undefined ? [] : [`It did not answer init: ${silent}. Its backends are those of its haproxy.cfg.`]),
    ...(level === 'admin' ? [] : [`Its socket is of level ${level}; a roll needs "level admin" in haproxy.cfg.`]),
  ]
  return { value: { fields }, ...(comments.length === 0 ? {} : { comment: comments.join(' ') }) }
}

function unusedItem({ name, address, backends }: SeenInstance, why: string): ListItem {
  const names = backends.is === 'found' ? backends.value.map((backend) => backend.name) : ['web']
  const instance = { fields: [{ key: 'name', value: name }, ...addressFields(address)] }
  const fields: Field[] = [
    { key: 'name', value: `edge-${name}`.slice(0, 63) },
    { key: 'instances', value: { items: [{ value: instance }] } },
    { key: 'backends', value: names.length === 0 ? ['web'] : names },
  ]
  return { value: { fields }, comment: `Left out: ${why}.`, off: true }
}

interface BackendUse {
  readonly nodes: readonly Node[] | undefined
  readonly agreed: Agreed
}

function whyUnused({ backends, name }: SeenInstance, { nodes, agreed }: BackendUse): string {
  if (backends.is === 'failed') return `it did not answer: ${backends.text}`
  if (agreed.right !== undefined && agreed.right !== name) return `you said that ${agreed.right} sends the traffic`
  if (nodes === undefined) return 'without the nodes it is not known which backends send to them'
  return 'none of its backends sends to a node of the roll'
}

function foundOf({ instance, kept }: KeptInstance): readonly string[] {
  if (instance.backends.is === 'failed') return []
  const { name, at, level = 'admin', silent } = instance
  const from = silent === undefined ? at : `${at}, from its haproxy.cfg`
  const all = instance.backends.value.length
  return [
    `${name} (${from}): ${all} ${all === 1 ? 'backend' : 'backends'}, of which ${kept.length} ${kept.length === 1 ? 'sends' : 'send'} to nodes of the roll`,
    ...kept.map(({ backend, about }) => `${name}: backend ${backend.name}: ${about}`),
    ...(level === 'admin' ? [] : [`${name}: its socket is of level ${level}; a roll needs "level admin"`]),
  ]
}
