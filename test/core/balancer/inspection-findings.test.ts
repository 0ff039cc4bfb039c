import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspectionFindings } from '../../../src/core/balancer/inspection-findings.ts'
import type { BackendInspection, InstanceInspection } from '../../../src/model/balancer-inspection.ts'
import { monoMs } from '../../../src/model/time.ts'
import { serverLike } from './server-example.ts'

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
  assert.deepEqual(withBackend({ name: 'kube' }), ['error BalancerApiBackend'])
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
    told: {},
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
    text: 'web/a on lb-1 has an agent-check that is not ours: its agent may undo what is set',
    fix: 'disable agent web/a, and take "agent-check" out of haproxy.cfg',
  })
})
