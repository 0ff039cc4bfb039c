import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspectPairs } from '../../../src/controllers/roll/inspect-pairs.ts'
import type { NeedAnswer, RebootNeedSpec } from '../../../src/model/reboot-need.ts'
import type { Host } from '../../../src/ports/host.ts'
import { MemoryPair, twoHosts } from '../../support/memory-pair.ts'
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
