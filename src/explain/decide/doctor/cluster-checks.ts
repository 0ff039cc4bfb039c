import type { Access } from '../../../ground/model/access.ts'
import { firstOf } from '../../../ground/model/first-of.ts'
import type { Node } from '../../../ground/model/node.ts'
import { kubectl, say } from '../../../ground/model/sentence.ts'
import { SLOT_STALE_MS, SLOTS_NAMESPACE } from '../../../ground/model/slot.ts'
import { leftoverFindings } from '../../../roll/decide/plan/leftover-findings.ts'
import { forbidden, spared } from '../../../roll/decide/plan/make-plan.ts'
import { maxOutFindings } from '../../../roll/decide/plan/max-out-findings.ts'
import { recorded } from '../../../roll/decide/plan/node-findings.ts'
import { heldSlotFindings, slotFindings } from '../../../roll/decide/plan/slot-findings.ts'
import { type Check, type DoctorSnapshot, type Found, failedCheck, findingCheck } from './doctor-snapshot.ts'

const CLOCKS_DIFFER_MS = 2_000

/** Checks that need the API server. */
export function clusterChecks(snapshot: DoctorSnapshot): readonly Check[] {
  const { api, kubeconfig } = snapshot
  if (api?.is === 'found') {
    return [
      { name: 'API server', state: 'ok', text: `answers, Kubernetes ${api.value.version}` },
      ...clock(api.value.aheadMs),
      ...rights(snapshot),
      ...slot(snapshot),
      ...budget(snapshot),
      ...nodes(snapshot),
    ]
  }
  const rest = ['clock', 'rights', 'slot', 'nodes', 'leftovers']
  if (api === undefined) {
    const why = kubeconfig.is === 'failed' ? 'the kubeconfig cannot be used' : 'the API server was not queried'
    return ['API server', ...rest].map((name) => skipped(name, why))
  }
  return [failedCheck('API server', api), ...rest.map((name) => skipped(name, 'the API server cannot be queried'))]
}

const skipped = (name: string, why: string): Check => ({ name, state: 'skipped', text: why })

function clock(aheadMs: number | undefined): readonly Check[] {
  if (aheadMs === undefined) return []
  const name = 'clock'
  if (Math.abs(aheadMs) <= CLOCKS_DIFFER_MS)
    return [{ name, state: 'ok', text: 'this machine and the API server differ by 2 s at most' }]
  const seconds = (Math.abs(aheadMs) / 1000).toFixed(0)
  const text = `the clock of this machine is ${seconds} s ${aheadMs > 0 ? 'behind' : 'ahead of'} that of the API server`
  return [{ name, state: 'warning', text, fix: 'let NTP set the clocks of both' }]
}

function rights({ rights: found, ...snapshot }: DoctorSnapshot): readonly Check[] {
  const name = 'rights'
  if (found === undefined) return [skipped(name, 'the API server was not queried')]
  if (found.is === 'failed') return [failedCheck(name, found)]
  const { wanted, forbidden: missing, spared: without } = found.value
  const namespace = slotsNamespace(snapshot)
  const lacking = [
    ...byObject(missing).map((access) => findingCheck(name, forbidden(access, namespace))),
    ...without.map((access) => findingCheck(name, access.resource === 'events' ? eventsSpared : spared(access))),
  ]
  if (lacking.length > 0) return lacking
  return [{ name, state: 'ok', text: `this identity has all ${wanted} rights that a roll uses` }]
}

const slotsNamespace = ({ file }: Pick<DoctorSnapshot, 'file'>): string =>
  file?.is === 'found' ? file.value.spec.slots.namespace : SLOTS_NAMESPACE

/** One entry for each rule: the verbs on one object together. */
function byObject(missing: readonly Access[]): readonly Access[] {
  const groups = Map.groupBy(missing, (access) => {
    const { verb: _, ...object } = access
    return JSON.stringify([object, forbidden(access, '').fix])
  })
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    return first === undefined ? [] : [{ ...first, verb: group.map(({ verb }) => verb).join(', ') }]
  })
}

const eventsSpared = {
  severity: 'warning',
  text: 'this identity is not allowed to create events in namespace default, so kubectl describe node will not show what a roll does',
  fix: say`${kubectl`apply -f deploy/roll-rbac.yaml`}, and bind it to this identity`,
}

function slot({ slot: found, slots, ...snapshot }: DoctorSnapshot): readonly Check[] {
  const name = 'slot'
  if (found === undefined)
    return [skipped(name, 'this identity is not allowed to write the Lease of a slot, or its rights are not known')]
  if (found.is === 'failed') return [failedCheck(name, found)]
  const namespace = slotsNamespace(snapshot)
  const findings = slotFindings(namespace, found.value)
  if (findings.length > 0) return findings.map((finding) => findingCheck(name, finding))
  const held = slots?.is === 'found' ? heldSlotFindings(slots.value) : []
  if (held.length > 0) return held.map((finding) => findingCheck(name, finding))
  return [
    { name, state: 'ok', text: `the Lease of a slot can be created in namespace ${namespace} (tried as a dry run)` },
  ]
}

/** A limit of the node budget that makes no sense, or that is less than the file asks for. */
function budget({ budget: found, nodes: all, file }: DoctorSnapshot): readonly Check[] {
  const name = 'node budget'
  if (found === undefined) return []
  if (found.is === 'failed') return [failedCheck(name, found)]
  const spec = file?.is === 'found' ? file.value.spec : BARE
  const count = all?.is === 'found' ? all.value.length : 0
  return maxOutFindings(spec, found.value, count).map((finding) => findingCheck(name, finding))
}

const BARE = { slots: { namespace: SLOTS_NAMESPACE, leaseDurationMs: SLOT_STALE_MS } } as const

function nodes({ nodes: found, rights: known }: DoctorSnapshot): readonly Check[] {
  const name = 'nodes'
  const mayNotList =
    known?.is === 'found' && known.value.forbidden.some(({ verb, resource }) => verb === 'list' && resource === 'nodes')
  if (found === undefined || mayNotList)
    return [name, 'leftovers'].map((one) => skipped(one, 'this identity is not allowed to list nodes'))
  if (found.is === 'failed') return [failedCheck(name, found), skipped('leftovers', 'the nodes cannot be listed')]
  return [readyNodes(found), ...leftovers(found.value)]
}

const NAMED_IN_COMMAND = 8

function readyNodes({ value: all }: Found<readonly Node[]> & { readonly is: 'found' }): Check {
  const name = 'nodes'
  if (all.length === 0) return failedCheck(name, { text: 'the cluster has no node', fix: 'choose another --context' })
  const count = all.length === 1 ? '1 node' : `${all.length} nodes`
  const bad = all.filter(({ ready }) => ready !== 'True').map((node) => node.name)
  if (bad.length === 0)
    return { name, state: 'ok', text: `${count}, ${all.length === 1 ? 'and it is' : 'all of them'} Ready` }
  const text = `${count}, and ${firstOf(bad)} ${bad.length === 1 ? 'is' : 'are'} not Ready`
  return { name, state: 'warning', text, fix: kubectl`describe node ${bad.slice(0, NAMED_IN_COMMAND)}` }
}

function leftovers(all: readonly Node[]): readonly Check[] {
  const name = 'leftovers'
  const found = [...all.flatMap(recorded), ...leftoverFindings({ cluster: { nodes: all } }, all)]
  // A plan refuses a node with a record; other nodes may still be rolled.
  if (found.length > 0) return found.map((finding) => findingCheck(name, { ...finding, severity: 'warning' }))
  return [{ name, state: 'ok', text: 'no node is cordoned, or has a record, a claim or a mark of an earlier run' }]
}
