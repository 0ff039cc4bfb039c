import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NeedAnswer, RebootNeedSpec } from '../../../src/ground/model/reboot-need.ts'
import type { Host } from '../../../src/ground/ports/host.ts'
import { inspectPairs } from '../../../src/roll/run/inspect-pairs.ts'
import { MemoryPair, twoHosts } from '../../support/memory-pair.ts'
import { anInstance, aServer } from '../../support/roll-world.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const never = new AbortController().signal

/** What each machine of the pair says of its need. */
async function inspected(onlyIfNeeded: RebootNeedSpec | undefined, needs: Readonly<Record<string, NeedAnswer>>) {
  const host: Host = {
    check: async ({ node }) => ({ mayReboot: true, hops: [], need: needs[node] ?? {} }),
    reboot: () => Promise.reject(new Error('nothing is rebooted by a plan')),
    ownBootId: async () => undefined,
    close: async () => undefined,
  }
  const machines = new MemoryPair(new VirtualClock()).ssh
  const asked = { host, machines, hosts: twoHosts(), nodes: [], instances: [], onlyIfNeeded }
  const { hosts = [], hostsSkipped = [], findings } = await inspectPairs(asked, never)
  return {
    rolled: hosts.map(({ host: name, needs: why }) => (why === undefined ? name : `${name}: ${why}`)),
    skipped: hostsSkipped.map(({ node, why }) => `${node}: ${why}`),
    findings: findings.map(({ code, node }) => `${code} ${node}`),
  }
}

interface Left {
  readonly hostsLeft: readonly string[] | undefined
  readonly mayNotReboot?: string
  readonly silent?: string
  /** A server that is out at lb-1 alone. */
  readonly isDrained?: boolean
}

/** Of a run that is taken up: which machines are asked, what stands against it, and which are rolled. */
async function leftOf({ hostsLeft, mayNotReboot, silent, isDrained = false }: Left) {
  const asked: string[] = []
  const host: Host = {
    check: async ({ node }) => {
      asked.push(node)
      return { mayReboot: node !== mayNotReboot, hops: [] }
    },
    reboot: () => Promise.reject(new Error('nothing is rebooted by a plan')),
    ownBootId: async () => undefined,
    close: async () => undefined,
  }
  const pair = new MemoryPair(new VirtualClock())
  if (silent !== undefined) pair.machine(silent).hasSsh = false
  const instances = ['lb-1', 'lb-2'].map((instance) => {
    const out = isDrained && instance === 'lb-1' ? ({ adminState: 'drain', ownState: 'drain' } as const) : {}
    return anInstance([aServer('n1', { ref: { instance, backend: 'web', server: 'n1' }, ...out })], { instance })
  })
  const { hosts = [], findings } = await inspectPairs(
    { host, machines: pair.ssh, hosts: twoHosts(), hostsLeft, nodes: [], instances },
    never,
  )
  return {
    asked,
    rolled: hosts.map(({ host: name }) => name),
    findings: findings.map(({ severity, code, node }) => `${severity} ${code} ${node}`),
  }
}

test('of a run under way, what stands against a machine that it does not reboot any more is no finding', async () => {
  const both = ['lb-1', 'lb-2']
  assert.deepEqual(await leftOf({ hostsLeft: ['lb-2'], mayNotReboot: 'lb-1' }), {
    asked: both,
    rolled: ['lb-2'],
    findings: [],
  })
  assert.deepEqual(await leftOf({ hostsLeft: ['lb-2'], mayNotReboot: 'lb-2' }), {
    asked: both,
    rolled: ['lb-2'],
    findings: ['error HostMayNotReboot lb-2'],
  })
  assert.deepEqual(await leftOf({ hostsLeft: undefined, mayNotReboot: 'lb-1' }), {
    asked: both,
    rolled: both,
    findings: ['error HostMayNotReboot lb-1'],
  })
})

test('of a run under way, a machine that it does not reboot any more is still the partner of one that it does', async () => {
  const { rolled, findings } = await leftOf({ hostsLeft: ['lb-2'], silent: 'lb-1' })
  assert.deepEqual([rolled, findings], [['lb-2'], ['error HOST_UNREACHABLE lb-1']])
  const drained = await leftOf({ hostsLeft: ['lb-2'], isDrained: true })
  assert.deepEqual(drained.findings, ['hold PairDisagrees lb-1'])
})

test('of a run under way, a pair of which no machine is left is not asked', async () => {
  assert.deepEqual(await leftOf({ hostsLeft: [], silent: 'lb-1', isDrained: true }), {
    asked: [],
    rolled: [],
    findings: [],
  })
})

const NEEDS: Readonly<Record<string, NeedAnswer>> = {
  'lb-1': { sentinel: { kind: 'there', packages: [], isCut: false } },
  'lb-2': { sentinel: { kind: 'absent' } },
}

test('machines that need no reboot are left out, by the checks of the file that ask machines alone', async () => {
  const all = { rolled: ['lb-1', 'lb-2'], skipped: [], findings: [] }
  assert.deepEqual(await inspected(undefined, NEEDS), all)
  assert.deepEqual(await inspected({ versions: { osImage: 'x' } }, NEEDS), all)
  assert.deepEqual(await inspected({ sentinel: '/f', versions: {} }, NEEDS), {
    rolled: ['lb-1: /f is there'],
    skipped: ['lb-2: needs no reboot: no /f'],
    findings: [],
  })
  const unsure = await inspected({ sentinel: '/f', versions: {} }, { 'lb-1': { sentinel: { kind: 'absent' } } })
  assert.deepEqual(unsure, {
    rolled: ['lb-2'],
    skipped: ['lb-1: needs no reboot: no /f'],
    findings: ['RebootNeedUnknown lb-2'],
  })
})
