import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runProgram } from '../../../src/cli/program.ts'
import { sceneOfDocument } from '../../../src/dns/cli/check-document.ts'
import { addDnsCommand } from '../../../src/dns/cli/dns-command.ts'
import { SocketAsker } from '../../../src/dns/io/socket-asker.ts'
import type { DnsRelays } from '../../../src/dns/ports/dns-relays.ts'
import { type CheckParts, DnsChecks } from '../../../src/dns/run/check-dns.ts'
import { systemClock } from '../../../src/ground/machine/system-clock.ts'
import { systemRandom } from '../../../src/ground/machine/system-random.ts'
import { systemTimers } from '../../../src/ground/machine/system-timers.ts'
import { UserError } from '../../../src/ground/model/user-error.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import { openHttpDoor } from '../../../src/ground/net/http-door.ts'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { memoryContext } from '../../cli/memory-context.ts'
import { Screen } from '../../ground/text/terminal/screen.ts'
import { type DnsWorld, dnsWorld, likeCoreDns } from '../../support/dns/dns-world.ts'
import { SeededRandom } from '../../support/seeded-random.ts'

const until = (what: string, holds: () => boolean): Promise<true> =>
  waitFor({ what, limitMs: 20_000, everyMs: 5 }, () => holds() || undefined)

/** Relays on this machine; `left` are those that were not taken away yet. */
class CountedRelays implements DnsRelays {
  left = 0
  opened = 0

  async open(nodes: readonly string[]) {
    this.left += 1
    this.opened += 1
    const asker = new SocketAsker(systemClock, systemRandom)
    const control = { reaches: async () => true }
    return {
      relays: nodes.map((node) => ({ name: `relay ${node}`, node, asker, control, isOpen: () => true })),
      notes: [],
      isLacking: false,
      close: async () => {
        this.left -= 1
        return []
      },
    }
  }
}

interface Watched {
  readonly world: DnsWorld
  readonly words?: readonly string[]
  readonly relays?: DnsRelays
  readonly screen?: Screen
  /** Why the API cannot be asked now. */
  readonly refusal?: () => Error | undefined
}

/** `evenkeel dns watch` over real sockets, every 10 s of a time that passes when told. */
function watch({ world, words = [], relays, screen, refusal = () => undefined }: Watched) {
  const { context } = memoryContext({ terminal: screen !== undefined })
  const notHere = (): never => {
    throw new Error('a watch was asked for')
  }
  const parts: CheckParts = {
    objects: { ...world.objects, services: async (signal: AbortSignal) => refused() ?? world.objects.services(signal) },
    asker: new SocketAsker(systemClock, systemRandom),
    loopback: { ask: async () => ({ kind: 'notAsked' as const, text: 'forbidden' }) },
    control: { reaches: async () => true },
    clock: systemClock,
    random: new SeededRandom(1),
    sought: {},
    timeoutMs: 250,
    ...(relays === undefined ? {} : { relays: [relays] }),
  }
  function refused(): undefined {
    const error = refusal()
    if (error !== undefined) throw error
  }
  let done = 0
  const load = async () => ({
    check: notHere,
    wouldRepair: notHere,
    repair: notHere,
    watch: () => {
      const checks = new DnsChecks(parts)
      return {
        random: { next: () => 0.5, hex: () => '' },
        next: async (signal: AbortSignal) => {
          try {
            return await checks.next({}, signal)
          } finally {
            done += 1
          }
        },
        close: () => checks.close(),
      }
    },
    openPages: (at: { readonly port: number }, pages: Parameters<typeof openHttpDoor>[1]) =>
      openHttpDoor({ place: at, timers: systemTimers }, pages),
  })
  const shown = screen === undefined ? context : { ...context, out: screen }
  const ended = runProgram({ version: '0', context: shown, commands: [addDnsCommand(load)] }, [
    'dns',
    'watch',
    ...words,
  ])
  const lines = (): readonly string[] => context.out.text.split('\n').slice(0, -1)
  /** Resolves after so many checks, 10 s apart. */
  const checked = async (count: number): Promise<void> => {
    await until('the first check', () => done > 0)
    for (let had = done; had < count; had += 1) {
      await context.clock.advance(10_000)
      await until(`check ${had + 1}`, () => done > had)
    }
  }
  return { context, ended, lines, checked }
}

function silence({ pods }: DnsWorld): void {
  for (const pod of pods.slice(1)) {
    pod.answering = () => []
    pod.answeringTcp = likeCoreDns
  }
}

function cure({ pods }: DnsWorld): void {
  for (const pod of pods) pod.answering = likeCoreDns
}

test('a pod that stops answering over UDP is a line of the log, and so is that it is well again', async (t) => {
  const world = await dnsWorld(t)
  const { context, ended, lines, checked } = watch({ world, words: ['--for', '35s'] })
  await checked(1)
  silence(world)
  await checked(2)
  cure(world)
  await checked(4)
  await context.clock.advance(5_000)
  assert.equal(await ended, 1)
  assert.deepEqual(lines(), [
    '06:14:39Z  OK          Healthy: every pod and the Service answer correctly over UDP',
    '06:14:49Z  BAD         UdpDead pod coredns-2: the pod answers over TCP but not over UDP',
    '06:14:59Z  OK          Healthy: every pod and the Service answer correctly over UDP; no longer UdpDead pod coredns-2',
  ])
  assert.equal(context.err.text, 'DONE  4 checks in 35 s: 3 ok, 1 bad\n')
})

test('where nothing changes a line a minute says that the watch goes on', async (t) => {
  const { context, ended, lines, checked } = watch({ world: await dnsWorld(t) })
  await checked(12)
  context.interrupts.press()
  assert.equal(await ended, 130)
  assert.deepEqual(lines(), [
    '06:14:39Z  OK          Healthy: every pod and the Service answer correctly over UDP',
    '06:15:39Z  OK          for 1 min, since 06:14:39Z; 7 checks',
  ])
})

test('Ctrl-C ends it with code 130 once the relays are taken away, between two checks and within one', async (t) => {
  const world = await dnsWorld(t)
  for (const isWithin of [false, true]) {
    const relays = new CountedRelays()
    const { context, ended, checked } = watch({ world, relays })
    if (isWithin) await until('relays', () => relays.opened === 1)
    else await checked(3)
    context.interrupts.press()
    assert.equal(await ended, 130)
    assert.deepEqual([relays.opened, relays.left], [1, 0])
    assert.match(context.err.text, isWithin ? /^INTERRUPTED {2}no checks in/ : /^INTERRUPTED {2}3 checks in 20 s: 3 ok/)
  }
})

test('a second Ctrl-C does not wait for a check that hangs, and gives the cursor back', async (t) => {
  const screen = new Screen(80, 24)
  const relays: DnsRelays = { open: () => new Promise(() => undefined) }
  const { context, ended } = watch({ world: await dnsWorld(t), relays, screen })
  await until('a screen', () => !screen.cursorShown)
  context.interrupts.press()
  context.interrupts.press()
  assert.equal(await ended, 130)
  assert.equal(screen.cursorShown, true)
})

test('-o json writes an object a line for each check, with its paths, and the scene where it is asked for', async (t) => {
  const world = await dnsWorld(t)
  silence(world)
  const { ended, lines, context, checked } = watch({ world, words: ['-o', 'json', '--scene', '--for', '5s'] })
  await checked(1)
  await context.clock.advance(5_000)
  assert.equal(await ended, 1)
  const { tookMs, queries, scene, findings, paths, ...rest } = JSON.parse(lines()[0] ?? '')
  assert.deepEqual({ ...rest, notes: [] }, { version: '1', at: '2026-11-21T06:14:39.000Z', verdict: 'bad', notes: [] })
  assert.ok(tookMs > 0 && queries > 0)
  assert.deepEqual(sceneOfDocument(lines()[0] ?? '', 'a line'), scene)
  assert.deepEqual([findings[0].code, findings[0].subjects], ['UdpDead', [{ kind: 'pod', name: 'coredns-2' }]])
  const target = { kind: 'pod', name: 'coredns-2' }
  assert.deepEqual(paths[1], {
    vantage: 'here',
    target,
    udp: 'silent',
    tcp: 'answers',
    data: 'right',
    asked: 6,
    lost: 6,
  })
})

test('an API server that goes away is unverified with its reason, and no end of the watch', async (t) => {
  let refusal: Error | undefined
  const { context, ended, lines, checked } = watch({ world: await dnsWorld(t), refusal: () => refusal })
  await checked(1)
  refusal = new WorldError('the API server does not answer', { code: 'KUBE_UNREACHABLE', retry: 'backoff' })
  await checked(2)
  refusal = undefined
  await checked(3)
  context.interrupts.press()
  assert.equal(await ended, 130)
  assert.deepEqual(lines(), [
    '06:14:39Z  OK          Healthy: every pod and the Service answer correctly over UDP',
    '06:14:49Z  UNVERIFIED  the check could not be made: the API server does not answer',
    '06:14:59Z  OK          Healthy: every pod and the Service answer correctly over UDP',
  ])
})

test('what is wrong from the beginning ends it with code 2 and the fix', async (t) => {
  const refusal = (): Error => new UserError('may not list services', { code: 'dns.forbidden', fix: 'grant it' })
  const { context, ended, lines } = watch({ world: await dnsWorld(t), refusal })
  assert.deepEqual([await ended, lines()], [2, []])
  assert.equal(context.err.text, 'error: may not list services (dns.forbidden)\n  = fix: grant it\n')
})

test('what could never be asked is no success: code 3', async (t) => {
  const refusal = (): Error => new WorldError('the API server does not answer', { code: 'KUBE_TIMEOUT', retry: 'now' })
  const { context, ended, checked } = watch({ world: await dnsWorld(t), words: ['--for', '5s'], refusal })
  await checked(1)
  await context.clock.advance(5_000)
  assert.equal(await ended, 3)
})

test('Prometheus reads over HTTP what the last check came to', async (t) => {
  const world = await dnsWorld(t)
  const { context, ended, checked } = watch({ world, words: ['--metrics', '127.0.0.1:0'] })
  await checked(1)
  const [, url = ''] = /^metrics: (http:\S+)$/m.exec(context.err.text) ?? []
  const read = async (): Promise<string> => (await fetch(url)).text()
  assert.match(await read(), /^evenkeel_dns_verdict\{verdict="ok"\} 1$/m)
  silence(world)
  await checked(2)
  const page = await read()
  assert.match(page, /^evenkeel_dns_verdict\{verdict="bad"\} 1$/m)
  assert.match(page, /^evenkeel_dns_finding\{code="UdpDead",subject="pod\/coredns-2"\} 1$/m)
  assert.match(page, /^evenkeel_dns_lost_total\{vantage="here",target_kind="pod",target="coredns-2"\} 6$/m)
  assert.equal((await fetch(new URL('/other', url))).status, 404)
  context.interrupts.press()
  assert.equal(await ended, 130)
  await assert.rejects(read())
})

test('on a terminal a table is drawn in place, also after it became narrower, and stays at the end', async (t) => {
  const world = await dnsWorld(t)
  const screen = new Screen(80, 24)
  const { context, ended, checked } = watch({ world, screen })
  await checked(1)
  assert.match(screen.text, /^OK {2}for 0 s/)
  silence(world)
  await checked(2)
  assert.match(screen.text, /^ {2}here {2}pod coredns-2 {6}n2 {4}UDP silent {4}6 of 6 .*x$/m)
  assert.equal(screen.text.match(/^ {2}here {2}pod coredns-2/gm)?.length, 1)
  screen.resize(50, 24)
  await context.clock.advance(1_000)
  context.interrupts.press()
  assert.equal(await ended, 130)
  assert.equal(screen.cursorShown, true)
  const last = screen.text.split('\n').slice(-12)
  assert.match(last.join('\n'), /^ {2}here {2}pod coredns-2 {6}UDP silent .*x$/m)
  for (const line of last) assert.ok(line.length < 50, line)
})
