import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { test } from 'node:test'
import { bedsWithCgroups } from '../../testbed/machine/cgroups.ts'
import { identityOf, isAlive, type ProcessIdentity } from '../../testbed/machine/process-identity.ts'
import { run } from '../../testbed/machine/run.ts'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { sweepDeadBeds } from '../../testbed/owner/registry.ts'
import { requires } from '../support/requires.ts'

test('a bed whose owner is killed leaves no process, mount, namespace, link or rule', requires('testbed'), async () => {
  const rules = await run(['iptables-save'])
  const links = await linkNames()
  const owner = fork(new URL('./owner-to-kill.ts', import.meta.url), { execArgv: [] })
  const [bed]: { name: string; dir: string }[] = await once(owner, 'message', { signal: AbortSignal.timeout(120_000) })
  assert.ok(bed !== undefined && owner.pid !== undefined)
  const processes = descendants(owner.pid)
  const namespaces = new Set(processes.flatMap(({ pid }) => namespacesOf(pid)))
  for (const own of namespacesOf(process.pid)) namespaces.delete(own)
  assert.ok(processes.length > 8, 'etcd, API server, containerd, kubelet and others run')
  assert.ok(namespaces.size >= 6, 'pid, mnt and net of the rack and of its node')

  owner.kill('SIGKILL')

  await waitFor({ what: 'the processes of the bed to be gone', limitMs: 10_000 }, () =>
    processes.some(isAlive) ? undefined : true,
  )
  const left = everyProcess().filter((pid) => namespacesOf(pid).some((namespace) => namespaces.has(namespace)))
  assert.deepEqual(left, [])
  assert.equal(readFileSync('/proc/self/mountinfo', 'utf8').includes(bed.dir), false)
  assert.deepEqual(await linkNames(), links)
  assert.equal(withoutTimes(await run(['iptables-save'])), withoutTimes(rules))

  sweepDeadBeds()
  assert.equal(existsSync(bed.dir), false)
  assert.equal(bedsWithCgroups().includes(bed.name), false)
})

async function linkNames(): Promise<string[]> {
  const links: { readonly ifname: string }[] = JSON.parse(await run(['ip', '-json', 'link']))
  return links.map(({ ifname }) => ifname)
}

/** The comments of iptables-save carry the time. */
function withoutTimes(rules: string): string {
  return rules.replaceAll(/^#.*\n/gm, '')
}

function everyProcess(): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0)
}

function descendants(root: number): ProcessIdentity[] {
  const parents = new Map(everyProcess().map((pid) => [pid, parentOf(pid)]))
  const isBelow = (pid: number | undefined): boolean => pid === root || (pid !== undefined && isBelow(parents.get(pid)))
  return [...parents.keys()].filter(isBelow).flatMap((pid) => identityOf(pid) ?? [])
}

function parentOf(pid: number): number | undefined {
  try {
    return Number(/^PPid:\s+([1-9]\d*)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
  } catch {
    return undefined
  }
}

function namespacesOf(pid: number): string[] {
  try {
    return ['pid', 'mnt', 'net'].map((kind) => readlinkSync(`/proc/${pid}/ns/${kind}`))
  } catch {
    return []
  }
}
