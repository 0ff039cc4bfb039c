import assert from 'node:assert/strict'
import { test } from 'node:test'
import { invariant } from '../../../../src/ground/model/invariant.ts'
import type { PlanFinding } from '../../../../src/ground/model/plan-finding.ts'
import type { NeedAnswer, RebootNeedSpec } from '../../../../src/ground/model/reboot-need.ts'
import { makePlan } from '../../../../src/roll/decide/plan/make-plan.ts'
import { type MachineInquiry, pairFindings, plannedHosts } from '../../../../src/roll/decide/plan/pair-findings.ts'
import { hostNeed, type RebootNeed } from '../../../../src/roll/decide/plan/reboot-need.ts'
import type { PlannedHost } from '../../../../src/roll/model/roll-plan.ts'
import { twoHosts } from '../../../support/memory-pair.ts'
import { aNode, aSpec } from '../../../support/roll-world.ts'
import { planSnapshot } from '../plan-snapshot.ts'

const hosts = twoHosts()
const [pair] = hosts.pairs
invariant(pair !== undefined, 'there is a pair')

const said = (name: 'lb-1' | 'lb-2', need?: NeedAnswer, mayReboot = true): MachineInquiry => ({
  pair,
  machine: { name, ssh: name, instances: [name] },
  answer: {
    kind: 'answered',
    machine: { bootId: name, addresses: name === 'lb-1' ? ['10.0.0.100'] : [] },
    reading: { mayReboot, hops: [], ...(need === undefined ? {} : { need }) },
  },
})
const silent: MachineInquiry = {
  pair,
  machine: { name: 'lb-2', ssh: 'lb-2', instances: ['lb-2'] },
  answer: { kind: 'failed', code: 'HOST_UNREACHABLE', text: 'ssh lb-2: no route' },
}

const SENTINEL: RebootNeedSpec = { sentinel: '/f', versions: {} }
const COMMAND: RebootNeedSpec = { command: { argv: ['need'], neededExitCode: 1, otherExitCode: 0 }, versions: {} }
const THERE: NeedAnswer = { sentinel: { kind: 'there', packages: ['linux'], isCut: false } }
const ABSENT: NeedAnswer = { sentinel: { kind: 'absent' } }
const ended = (exitCode: number): NeedAnswer => ({ command: { kind: 'ended', exitCode, errors: '' } })

const textOf = (need: RebootNeed | undefined): string => {
  if (need === undefined) return 'not asked'
  return need.kind === 'unknown' ? need.findings.map(({ code, node }) => `${code} ${node}`).join() : need.why
}

test('a machine says by ssh alone whether it needs a reboot; versions of Nodes say nothing of it', () => {
  const rows: readonly (readonly [RebootNeedSpec, MachineInquiry, kind: string | undefined, text: string])[] = [
    [SENTINEL, said('lb-1', THERE), 'needed', '/f is there, for linux'],
    [SENTINEL, said('lb-1', ABSENT), 'none', 'needs no reboot: no /f'],
    [SENTINEL, said('lb-1'), 'unknown', 'RebootNeedUnknown lb-1'],
    // That it could not be reached is a finding already.
    [SENTINEL, silent, 'unknown', ''],
    [COMMAND, said('lb-1', ended(1)), 'needed', 'need ended with exit code 1'],
    [COMMAND, said('lb-1', ended(0)), 'none', 'needs no reboot: need ended with exit code 0'],
    [COMMAND, said('lb-1', ended(2)), 'unknown', 'RebootNeedUnknown lb-1'],
    [{ ...SENTINEL, versions: { kernelVersion: '6.1' } }, said('lb-1', ABSENT), 'none', 'needs no reboot: no /f'],
    [{ versions: { kernelVersion: '6.1' } }, said('lb-1'), undefined, 'not asked'],
  ]
  assert.deepEqual(
    rows.map(([spec, inquiry]) => {
      const need = hostNeed(inquiry.machine.name, spec, inquiry.answer)
      return [need?.kind, textOf(need)]
    }),
    rows.map(([, , kind, text]) => [kind, text]),
  )
})

const needsOf = (...inquiries: readonly MachineInquiry[]) =>
  new Map(
    inquiries.flatMap((inquiry) => {
      const need = hostNeed(inquiry.machine.name, SENTINEL, inquiry.answer)
      return need === undefined ? [] : [[inquiry.machine.name, need] as const]
    }),
  )

test('a machine that needs no reboot is not planned, and what stands against its reboot is no finding', () => {
  const found = (...inquiries: readonly MachineInquiry[]): readonly string[] => {
    const needs = needsOf(...inquiries)
    const around = { hosts, nodes: [], instances: [], ownBootId: undefined, needs }
    const findings: readonly PlanFinding[] = pairFindings(inquiries, around)
    const planned = plannedHosts(inquiries, needs).map(({ host, needs: why }) => `${host}: ${why}`)
    return [...planned, ...findings.map(({ severity, code, node }) => `${severity} ${code} ${node}`)]
  }
  const needed = 'lb-1: /f is there, for linux'
  assert.deepEqual(found(said('lb-1', THERE), said('lb-2', ABSENT, false)), [needed])
  assert.deepEqual(found(said('lb-1', ABSENT, false), said('lb-2', ABSENT, false)), [])
  assert.deepEqual(found(said('lb-1', THERE), said('lb-2')), [
    needed,
    'lb-2: undefined',
    'error RebootNeedUnknown lb-2',
  ])
  assert.deepEqual(found(said('lb-1', THERE), silent), [needed, 'lb-2: undefined', 'error HOST_UNREACHABLE lb-2'])
})

const planned = (name: string, needs?: string): PlannedHost => ({
  host: name,
  pair: 'edge-pair',
  instances: [name],
  bootId: name,
  addresses: [],
  ...(needs === undefined ? {} : { needs }),
})
const NONE: RebootNeed = { kind: 'none', why: 'needs no reboot: no file' }
const NEEDED: RebootNeed = { kind: 'needed', why: 'the file is there' }
const nodes = [aNode('n1'), aNode('n2', { ready: 'False' })]

function plan(onlyIfNeeded: RebootNeedSpec, of: RebootNeed, machines: readonly PlannedHost[]) {
  const reboot = { ...aSpec().reboot, onlyIfNeeded }
  const spec = aSpec({ nodes: { names: [], all: true, allowUnbalanced: true }, reboot, hosts })
  const needs = new Map(nodes.map(({ name }) => [name, of]))
  const hostsSkipped = machines.length === 2 ? [] : [{ node: 'lb-2', why: 'needs no reboot: no /f' }]
  const made = makePlan(planSnapshot({ spec, needs, hosts: machines, hostsSkipped }, { nodes }))
  return [made.nodes.length, made.hosts?.map(({ host }) => host), made.skipped.map(({ node }) => node)]
}

test('a plan with a machine that needs a reboot has work, and one whose nodes alone could tell rolls machines with nodes only', () => {
  const versions: RebootNeedSpec = { versions: { kernelVersion: '6.1' } }
  const both = [planned('lb-1'), planned('lb-2')]
  assert.deepEqual(plan(SENTINEL, NONE, [planned('lb-1', 'the file is there')]), [0, ['lb-1'], ['n1', 'n2', 'lb-2']])
  assert.deepEqual(plan(SENTINEL, NEEDED, [planned('lb-1', 'the file is there')]), [2, ['lb-1'], ['lb-2']])
  assert.deepEqual(plan(versions, NEEDED, both), [2, ['lb-1', 'lb-2'], []])
  assert.deepEqual(plan(versions, NONE, both), [0, [], ['n1', 'n2', 'lb-1', 'lb-2']])
})

test('where a machine alone needs a reboot, what may hold it is a finding', () => {
  const reboot = { ...aSpec().reboot, onlyIfNeeded: SENTINEL }
  const spec = aSpec({ nodes: { names: [], all: true, allowUnbalanced: true }, reboot, hosts })
  const needs = new Map(nodes.map(({ name }) => [name, NONE]))
  const hostFindings = [{ severity: 'hold', code: 'AddressOnNone', node: 'lb-1', text: 'x' }] as const
  const codes = (machines: readonly PlannedHost[]) =>
    makePlan(planSnapshot({ spec, needs, hosts: machines, hostFindings }, { nodes })).findings.map(({ code }) => code)
  assert.ok(codes([planned('lb-1', 'the file is there')]).includes('AddressOnNone'))
  assert.deepEqual(codes([]), [])
})
