import assert from 'node:assert/strict'
import { test } from 'node:test'
import { leftOutFindings } from '../../../../src/roll/decide/plan/left-out-findings.ts'
import type { InstanceInspection, SeenServer } from '../../../../src/service/model/balancer-inspection.ts'
import { aNode } from '../../../support/roll-world.ts'
import { planSnapshot } from '../plan-snapshot.ts'

const NODES = ['n1', 'n2', 'n3', 'n4'].map((name) => aNode(name))
const seen = (backend: string, count: number): readonly SeenServer[] =>
  NODES.slice(0, count).map(({ name }) => ({
    backend,
    server: name,
    address: `10.0.0.${name.slice(1)}`,
    port: 8080,
  }))
const inspected = (instance: string, named: readonly string[], outside: readonly SeenServer[]): InstanceInspection => ({
  instance,
  process: '100',
  version: '2.6.12',
  level: 'admin',
  processes: 1,
  missingBackends: [],
  disabledBackends: [],
  backends: named.map((name) => ({ name, mode: 'http', servers: [], stickTable: false, redispatch: 'unknown' })),
  outside,
})
const texts = (...inspections: readonly InstanceInspection[]) =>
  leftOutFindings(planSnapshot({ inspections }), NODES).map(({ text }) => text)

test('a backend that the file leaves out is named with the first three of its servers, and with what to add', () => {
  assert.deepEqual(
    leftOutFindings(planSnapshot({ inspections: [inspected('lb-1', ['web'], seen('api', 1))] }), NODES),
    [
      {
        severity: 'warning',
        code: 'BalancerBackendLeftOut',
        text: 'api/n1 on lb-1 still gets traffic while its node is away: backend api is not in "backends"',
        fix: 'add api to "backends"',
      },
    ],
  )
  const away = 'on lb-1 still get traffic while their nodes are away: backend api is not in "backends"'
  assert.deepEqual(texts(inspected('lb-1', [], seen('api', 3))), [`api/n1, api/n2, api/n3 ${away}`])
  assert.deepEqual(texts(inspected('lb-1', [], seen('api', 4))), [`api/n1, api/n2, api/n3, 1 more ${away}`])
})

test('a backend counts as named on the process that the file names it for, by whichever name of it, and on no other', () => {
  const outside = seen('api', 1)
  const byProcess = (one: string, other: string) =>
    texts(
      { ...inspected('lb-1', ['web'], outside), onlyProcess: one },
      { ...inspected('lb-1-api', ['api'], []), onlyProcess: other },
    )
  assert.deepEqual(byProcess('4711@1 lb-1', '4711@1 lb-1'), [])
  assert.equal(byProcess('4711@1 lb-1', '4711@1 lb-2').length, 1)
  assert.equal(texts(inspected('lb-1', ['web'], outside), inspected('lb-2', ['api'], [])).length, 1, 'none is known')
})
