import assert from 'node:assert/strict'
import { test } from 'node:test'
import { monoMs } from '../../../../src/ground/model/time.ts'
import { inspectionFindings } from '../../../../src/roll/decide/plan/inspection-findings.ts'
import type { BackendInspection, InstanceInspection } from '../../../../src/service/model/balancer-inspection.ts'
import { serverLike } from '../../../service/decide/server-example.ts'

const WEB: BackendInspection = {
  name: 'web',
  mode: 'http',
  servers: [serverLike()],
  stickTable: false,
  redispatch: 'unknown',
}

const GOOD: InstanceInspection = {
  instance: 'lb-1',
  process: '4711@1',
  version: '2.6.12',
  level: 'admin',
  processes: 1,
  missingBackends: [],
  disabledBackends: [],
  backends: [WEB],
  outside: [],
}

const found = (other: Partial<InstanceInspection>): readonly string[] =>
  inspectionFindings({ ...GOOD, ...other }, []).map((it) => `${it.severity} ${it.code}`)
const withBackend = (other: Partial<BackendInspection>): readonly string[] =>
  found({ backends: [{ ...WEB, ...other }] })

test('nothing is found where nothing stands against a roll', () => {
  assert.deepEqual(found({}), [])
  assert.deepEqual(found({ outside: [{ backend: 'api', server: 'x', address: '10.0.0.1', port: 6443 }] }), [])
})

test('what a roll cannot do without is an error', () => {
  assert.deepEqual(found({ level: 'operator' }), ['error BalancerNotAdmin'])
  assert.deepEqual(found({ level: 'unknown' }), ['error BalancerNotAdmin'])
  assert.deepEqual(found({ processes: 4 }), ['error BalancerManyProcesses'])
  assert.deepEqual(found({ missingBackends: ['x'], disabledBackends: ['y'] }), [
    'error BalancerBackendMissing',
    'error BalancerBackendMissing',
  ])
  assert.deepEqual(withBackend({ servers: [serverLike({ port: 6443 })] }), ['error BalancerApiBackend'])
  assert.deepEqual(withBackend({ name: 'kube' }), ['warning BalancerApiBackend'])
  assert.deepEqual(withBackend({ name: 'k8s-ingress-http' }), [])
  assert.deepEqual(withBackend({ servers: [serverLike({ agent: true })] }), ['error BalancerAgentCheck'])
})

test('what people should weigh is a warning', () => {
  assert.deepEqual(withBackend({ mode: 'tcp' }), ['warning BalancerTcpMode'])
  assert.deepEqual(withBackend({ stickTable: true }), ['warning BalancerPersistence'])
  assert.deepEqual(withBackend({ servers: [serverLike({ persistent: true })] }), ['warning BalancerPersistence'])
  assert.deepEqual(withBackend({ servers: [serverLike({ check: 'none' })] }), ['warning BalancerNoCheck'])
  assert.deepEqual(withBackend({ servers: [serverLike({ operational: 'down' })] }), ['warning BalancerServerDown'])
})

test('a server of a health endpoint gets no finding about checks of a balancer', () => {
  const endpoint = {
    at: monoMs(0),
    heard: true,
    answer: 'down',
    onlyClosed: false,
    acknowledged: [],
    connections: 0,
    polls: {},
  } as const
  const suspicious = { agent: true, check: 'none', operational: 'down' } as const
  assert.deepEqual(withBackend({ servers: [serverLike({ ...suspicious, endpoint })] }), [])
  assert.deepEqual(withBackend({ servers: [serverLike(suspicious)] }), [
    'error BalancerAgentCheck',
    'warning BalancerNoCheck',
    'warning BalancerServerDown',
  ])
})

test('errors come before warnings, and each says what to do', () => {
  const backends: readonly BackendInspection[] = [
    { ...WEB, mode: 'tcp', servers: [serverLike({ check: 'none', agent: true })] },
  ]
  const findings = inspectionFindings({ ...GOOD, backends }, [])
  assert.deepEqual(
    findings.map((it) => it.code),
    ['BalancerAgentCheck', 'BalancerNoCheck', 'BalancerTcpMode'],
  )
  assert.deepEqual(findings[0], {
    severity: 'error',
    code: 'BalancerAgentCheck',
    text: 'web/a on lb-1 has an agent-check of another agent, which may undo what the roll sets',
    fix: 'take "agent-check" out of server a of backend web in haproxy.cfg of lb-1, then reload HAProxy ("disable agent web/a" on the runtime socket is not enough: it lasts until a reload)',
  })
})

/** `text | fix` of the one finding there is. */
function findingOf(other: Partial<InstanceInspection>): readonly string[] {
  return inspectionFindings({ ...GOOD, ...other }, []).map(({ text, fix }) =>
    [text, ...(fix === undefined ? [] : [fix])].join(' | '),
  )
}
const findingOfBackend = (other: Partial<BackendInspection>): readonly string[] =>
  findingOf({ backends: [{ ...WEB, ...other }] })

test('each finding says what is the case, and what to do where something can be done', () => {
  assert.deepEqual(findingOf({ level: 'operator' }), [
    'the runtime socket of lb-1 is of level operator and is not allowed to change states | give its "stats socket" line in haproxy.cfg "level admin", then reload HAProxy',
  ])
  assert.deepEqual(findingOf({ processes: 4 }), [
    'lb-1 runs 4 processes, and its socket reaches only one: the others would keep sending | replace "nbproc" by "nbthread", or list each process, with its own socket, as an instance',
  ])
  assert.deepEqual(findingOf({ missingBackends: ['x'], disabledBackends: ['y'] }), [
    'backend x of lb-1 is not there or has no server | check the name, or take x out of "backends"',
    'backend y of lb-1 is disabled | check the name, or take y out of "backends"',
  ])
  assert.deepEqual(findingOfBackend({ servers: [serverLike({ port: 6443 })] }), [
    'backend web of lb-1 looks like the Kubernetes API (a server at port 6443), which is never taken out | take web out of "backends"',
  ])
  assert.deepEqual(findingOfBackend({ servers: [serverLike({ agent: true, agentDisabled: true })] }), [
    'web/a on lb-1 has an agent-check that is only disabled, by the runtime socket: a reload would begin it again, and it may undo what the roll sets | take "agent-check" out of server a of backend web in haproxy.cfg of lb-1, then reload HAProxy. If the agent is to be asked again: "enable agent web/a" on the runtime socket',
  ])
  assert.deepEqual(findingOfBackend({ name: 'kube' }), [
    'backend kube of lb-1 has the name of the Kubernetes API, and no server at a port of it | take kube out of "backends" if it leads to the API',
  ])
  assert.deepEqual(findingOfBackend({ servers: [serverLike({ check: 'none' })] }), [
    'web/a on lb-1 has no health check, so its state "up" proves nothing | add "check" to server a of backend web',
  ])
  assert.deepEqual(findingOfBackend({ servers: [serverLike({ operational: 'down' })] }), [
    'web/a on lb-1 is ready and down: its node is put back without waiting for it | bring it up if a should serve web',
  ])
  const three = ['a', 'b', 'c'].map((server) =>
    serverLike({ ref: { instance: 'lb-1', backend: 'web', server }, check: 'none', operational: 'down' }),
  )
  assert.deepEqual(findingOfBackend({ servers: three }), [
    'web/a, web/b and 1 more on lb-1 have no health check, so their state "up" proves nothing | add "check" to server a, b and 1 more of backend web',
    'web/a, web/b and 1 more on lb-1 are ready and down: their nodes are put back without waiting for them | bring them up if a, b and 1 more should serve web',
  ])
  assert.deepEqual(findingOfBackend({ mode: 'tcp' }), [
    'backend web of lb-1 is in mode tcp: a client keeps its connection to a node that is out until one of them closes it | set a short detach.idleLimit, or let the app close its connections when it stops',
  ])
  assert.deepEqual(findingOfBackend({ stickTable: true }), [
    'backend web of lb-1 remembers clients: only maint moves them, and in maint no health check runs',
  ])
})

test('an error of a later backend comes before a warning of an earlier server', () => {
  const servers = [serverLike({ check: 'none' }), serverLike({ agent: true })]
  assert.deepEqual(withBackend({ servers }), ['error BalancerAgentCheck', 'warning BalancerNoCheck'])
})

test('a server that is down and not ready gives no finding, and one persistent server of many gives a warning', () => {
  assert.deepEqual(withBackend({ servers: [serverLike({ operational: 'down', ownState: 'maint' })] }), [])
  assert.deepEqual(withBackend({ servers: [serverLike({ persistent: true }), serverLike()] }), [
    'warning BalancerPersistence',
  ])
})
