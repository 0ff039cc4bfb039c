import type { Endpoint } from '../../../ground/model/endpoint.ts'
import { firstOf } from '../../../ground/model/first-of.ts'
import { present } from '../../../ground/model/present.ts'
import { monoMs } from '../../../ground/model/time.ts'
import { apiServers } from '../../../roll/decide/plan/api-servers.ts'
import { withBalancerAdvice } from '../../../roll/decide/plan/balancer-advice.ts'
import { orderFindings } from '../../../roll/decide/plan/control-plane-findings.ts'
import { dataPortFindings, servingPorts } from '../../../roll/decide/plan/data-port-findings.ts'
import { inspectionFindings } from '../../../roll/decide/plan/inspection-findings.ts'
import { leftOutFindings } from '../../../roll/decide/plan/left-out-findings.ts'
import { NO_PROBE } from '../../../roll/decide/plan/no-probe-finding.ts'
import { placeChecks } from '../../../roll/decide/plan/node-findings.ts'
import { othersWorkFindings } from '../../../roll/decide/plan/others-work-findings.ts'
import { poolFindings } from '../../../roll/decide/plan/pool-findings.ts'
import { rebootLockFindings } from '../../../roll/decide/plan/reboot-lock-findings.ts'
import { sameProcessFindings } from '../../../roll/decide/plan/same-process.ts'
import { selectNodes } from '../../../roll/decide/plan/select-nodes.ts'
import { selectionFindings } from '../../../roll/decide/plan/selection-findings.ts'
import { strangeBackends } from '../../../roll/decide/plan/strange-backends.ts'
import type { RollSpec } from '../../../roll/model/roll-spec.ts'
import type { InstanceSnapshot } from '../../../service/decide/instance-snapshot.ts'
import { type Check, type DoctorSnapshot, failedCheck, findingCheck, type InstanceFound } from './doctor-snapshot.ts'

/** What only a roll file names. */
const unnamed = ({ file }: DoctorSnapshot, name: string, what: string): Check => ({
  name,
  state: 'skipped',
  text: file === undefined ? `a roll file names ${what}: give it with -f` : 'the roll file cannot be read',
})

const none = (name: string, what: string): Check => ({ name, state: 'ok', text: `the roll file names no ${what}` })

export function balancerChecks(snapshot: DoctorSnapshot): readonly Check[] {
  const { instances, api } = snapshot
  if (instances === undefined) return [unnamed(snapshot, 'balancers', 'the balancers')]
  if (instances.length === 0) return [none('balancers', 'balancer')]
  const known = api?.is === 'found' ? apiServers({ apiServer: api.value.server, cluster: clusterOf(snapshot) }) : []
  const answered = instances.flatMap(({ balancer, inspection }) =>
    inspection?.is === 'found' ? [{ balancer, inspection: inspection.value }] : [],
  )
  return [
    ...instances.flatMap((instance) => instanceChecks(instance, known)),
    ...sameProcessFindings(answered).map((finding) => findingCheck('balancers', finding)),
    ...placesOf(snapshot),
  ]
}

const clusterOf = ({ slices }: DoctorSnapshot) => ({ slices: slices?.is === 'found' ? slices.value : [] })

/** The choice of the file, as a plan refuses it. A file without one leaves it to the command line. */
export function selectionChecks({ file, nodes }: DoctorSnapshot): readonly Check[] {
  if (file?.is !== 'found' || nodes?.is !== 'found' || nodes.value.length === 0) return []
  const { names, selector, all } = file.value.spec.nodes
  if (names.length === 0 && selector === undefined && !all) return []
  const { spec } = file.value
  const chosen = selectNodes(spec.nodes, nodes.value).nodes
  return [
    ...selectionFindings(spec.nodes, nodes.value),
    ...orderFindings(spec.nodes, chosen),
    ...othersWorkFindings(chosen, spec),
  ].map((finding) => findingCheck('chosen nodes', finding))
}

/** Whether kured may reboot a node beside the roll, and whether the lock that the file names is there. */
export function rebootLockChecks({ file, daemonSets, nodes, wall }: DoctorSnapshot): readonly Check[] {
  const name = 'lock of kured'
  if (file?.is !== 'found' || daemonSets === undefined) return []
  if (daemonSets.is === 'failed') return [failedCheck(name, daemonSets)]
  const known = present({ wall, nodes: nodes?.is === 'found' ? nodes.value : undefined })
  const { spec } = file.value
  return rebootLockFindings(daemonSets.value, { spec, ...known }).map((finding) => findingCheck(name, finding))
}

/** The ports at which nodes of the file serve, by what its balancers say. */
export function portsOf(snapshot: DoctorSnapshot): readonly Endpoint[] {
  const read = chosenOf(snapshot)
  return read === undefined ? [] : servingPorts(read, read.chosen)
}

/** The nodes of the file and its balancers, as a plan reads them; undefined where one of them cannot be read. */
function chosenOf({ file, nodes, instances = [] }: DoctorSnapshot) {
  if (file?.is !== 'found' || nodes?.is !== 'found') return undefined
  const { spec } = file.value
  const chosen = selectNodes(spec.nodes, nodes.value).nodes
  const inspections = instances.flatMap(({ inspection }) => (inspection?.is === 'found' ? [inspection.value] : []))
  const read = instances.map((one) => snapshotOf(spec, one))
  return { spec, chosen, inspections, cluster: { nodes: nodes.value }, instances: read }
}

/** What keeps nodes of the file from being taken out, as a plan finds it; nodes of which the same is to be said together. */
function placesOf(snapshot: DoctorSnapshot): readonly Check[] {
  const places = chosenOf(snapshot)
  if (places === undefined) return []
  const { chosen } = places
  const findings = chosen.flatMap((node) =>
    placeChecks(places, node)
      .flat()
      .map((finding) => ({ node: node.name, finding })),
  )
  const { silentPorts, api } = snapshot
  const silent = present({ silentPorts: silentPorts?.is === 'found' ? silentPorts.value : undefined })
  const ofBackends = [
    ...strangeBackends(places),
    ...(api?.is === 'found'
      ? leftOutFindings({ ...places, cluster: clusterOf(snapshot), apiServer: api.value.server }, chosen)
      : []),
    ...poolFindings(places, chosen),
    ...dataPortFindings({ ...places, ...silent }, chosen),
  ].map((finding) => findingCheck('balancers', finding))
  const unasked = silentPorts?.is === 'failed' ? [failedCheck('data ports', silentPorts)] : []
  const alike = Map.groupBy(findings, ({ finding: { severity, code } }) => `${severity} ${code}`)
  const ofNodes = [...alike.values()].flatMap(([first, ...more]) => {
    if (first === undefined) return []
    const others = new Set(more.map(({ node }) => node).filter((node) => node !== first.node))
    const too = others.size === 0 ? '' : `; so it is with ${firstOf([...others])}`
    return [findingCheck('nodes in balancers', { ...first.finding, text: `${first.finding.text}${too}` })]
  })
  return [...ofBackends, ...unasked, ...ofNodes]
}

function snapshotOf(spec: RollSpec, { balancer, instance, inspection }: InstanceFound): InstanceSnapshot {
  const { backends = [], allowLastServer = false } = spec.balancers.find(({ name }) => name === balancer) ?? {}
  const known = { balancer, instance, backends, allowLastServer }
  if (inspection?.is !== 'found') return { ...known, silentForMs: 1 }
  const { process, version, backends: read } = inspection.value
  const servers = read.flatMap((backend) => backend.servers)
  return { ...known, silentForMs: 0, reading: { instance, process, version, at: monoMs(0), servers } }
}

function instanceChecks(
  { balancer, instance, inspection }: InstanceFound,
  known: Parameters<typeof inspectionFindings>[1],
): readonly Check[] {
  const name = balancer === instance ? `balancer ${balancer}` : `balancer ${balancer}/${instance}`
  if (inspection === undefined) return [{ name, state: 'skipped', text: 'the API server cannot be queried' }]
  if (inspection.is === 'failed') {
    const { code = '', text, fix } = inspection
    return [failedCheck(name, withBalancerAdvice({ severity: 'error', code, text, ...present({ fix }) }))]
  }
  const { value } = inspection
  const findings = inspectionFindings(value, known)
  const checks = findings.map((finding) => findingCheck(name, finding))
  if (checks.some(({ state }) => state === 'missing')) return checks
  const backends = value.backends.map((backend) => backend.name)
  return [{ name, state: 'ok', text: `answers, level ${value.level}, with ${firstOf(backends)}` }, ...checks]
}

const ANSWER_FIX = 'let the service answer there as "probes" expects, or correct "probes"'

export function targetChecks(snapshot: DoctorSnapshot): readonly Check[] {
  const { targets } = snapshot
  if (targets === undefined) return [unnamed(snapshot, 'probes', 'the probe targets')]
  if (targets.length === 0) return [failedCheck('probes', NO_PROBE)]
  return targets.map(({ name: target, url, answer }) => {
    const name = `probe ${target}`
    if (answer.is === 'found') return { name, state: 'ok', text: `${url} answers as expected` }
    return failedCheck(name, { text: `${url}: ${answer.text}`, fix: answer.fix ?? ANSWER_FIX })
  })
}
