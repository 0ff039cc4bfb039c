import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { SocketEnd } from '../../../src/agent/io/socket-row.ts'
import { TrackedConnections } from '../../../src/agent/io/tracked-connections.ts'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { aFolder } from '../../ground/kube/opened.ts'
import { ForwardedPort } from '../../support/forwarded-port.ts'
import { requires } from '../../support/requires.ts'
import { Program } from '../../support/roll-bed/program.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const never = new AbortController().signal
const COUNTER = fileURLToPath(new URL('../../support/count-tracked-here.ts', import.meta.url))
const PROBE = '127.0.0.1:40000'
const HERE = ['10.0.0.5', '127.0.0.1', '2001:db8:0:0:0:0:0:5']

/** `FROM TO STATE`, as the kernel prints a connection that rules lead into a pod. */
const row = (from: string, to: string, state: string): string => {
  const [[source, sport], [destination, dport]] = [from, to].map((end) => end.split(':')) as [string[], string[]]
  return `ipv4     2 tcp      6 431999 ${state} src=${source} dst=${destination} sport=${sport} dport=${dport} src=10.244.1.7 dst=${source} sport=8080 dport=${sport} [ASSURED] mark=0 zone=0 use=2`
}
const OWN = row(PROBE, '127.0.0.1:443', 'TIME_WAIT')
const CLIENT = '10.0.0.9:50000'
const NODE = '10.0.0.5:443'

/** A table that can be another each time it is read; and a count of one that was the same for long enough. */
async function table(t: TestContext) {
  const path = join(await aFolder(t), 'nf_conntrack')
  const clock = new VirtualClock()
  const isOwn = ({ address, port }: SocketEnd): boolean => `${address}:${port}` === PROBE
  const parts = { port: 443, addresses: () => new Set(HERE), isOwn, lastOwnPorts: () => [40_000], clock }
  const tracked = new TrackedConnections(parts, path)
  const once = async (...rows: readonly string[]) => {
    await writeFile(path, rows.map((line) => `${line}\n`).join(''))
    return tracked.count(never)
  }
  const count = async (...rows: readonly string[]): Promise<number | undefined> => {
    for (let i = 0; i < 2; i += 1) await once(...rows)
    const seen = await once(...rows)
    return seen === 'soon' ? assert.fail('it was read often enough') : seen?.open
  }
  return { once, count, clock }
}

test('connections to the machine’s own addresses are counted until both sides have said their last', async (t) => {
  const { count } = await table(t)
  const open = ['SYN_SENT', 'SYN_RECV', 'ESTABLISHED', 'FIN_WAIT', 'CLOSE_WAIT', 'LAST_ACK']
  const over = ['TIME_WAIT', 'CLOSE']
  for (const state of open) assert.equal(await count(OWN, row(CLIENT, NODE, state)), 1, state)
  for (const state of over) assert.equal(await count(OWN, row(CLIENT, NODE, state)), 0, state)
})

test('a connection to that port elsewhere, or from that port, is no client of this machine', async (t) => {
  const { count } = await table(t)
  const elsewhere = row('10.244.1.9:41000', '203.0.113.7:443', 'ESTABLISHED')
  const answer = row('10.0.0.5:443', '10.0.0.9:8443', 'ESTABLISHED')
  const udp = row(CLIENT, NODE, 'ESTABLISHED').replace('tcp      6 431999 ESTABLISHED', 'udp      17 29')
  assert.equal(await count(OWN, row(CLIENT, NODE, 'TIME_WAIT'), elsewhere, answer, udp), 0)
})

test('IPv6 is counted, as the kernel writes it', async (t) => {
  const { count } = await table(t)
  const six =
    'ipv6     10 tcp      6 299 ESTABLISHED src=2001:0db8:0000:0000:0000:0000:0000:0009 dst=2001:0db8:0000:0000:0000:0000:0000:0005 sport=50000 dport=443 src=fd00:0000:0000:0000:0000:0000:0000:0007 dst=2001:0db8:0000:0000:0000:0000:0000:0009 sport=8080 dport=50000 [ASSURED] mark=0 zone=0 use=2'
  assert.equal(await count(OWN, six), 1)
})

test('nothing is known while the last own check is not in the table', async (t) => {
  const { count } = await table(t)
  assert.equal(await count(row(CLIENT, NODE, 'TIME_WAIT')), undefined)
  assert.equal(await count(OWN, row(CLIENT, NODE, 'TIME_WAIT')), 0)
  assert.equal(await count(), undefined)
})

test('nothing is known before a client from another machine was in the table; one that was is remembered', async (t) => {
  const { count } = await table(t)
  assert.equal(await count(OWN), undefined)
  assert.equal(await count(OWN, row('10.0.0.5:50001', NODE, 'ESTABLISHED')), undefined)
  assert.equal(await count(OWN, row(CLIENT, NODE, 'ESTABLISHED')), 1)
  assert.equal(await count(OWN), 0)
})

test('a check of one’s own that is still open does not count', async (t) => {
  const { count } = await table(t)
  assert.equal(await count(row(PROBE, '127.0.0.1:443', 'ESTABLISHED'), row(CLIENT, NODE, 'CLOSE')), 0)
})

test('a connection that a flowtable or the network card has taken over is open', async (t) => {
  const { count } = await table(t)
  const offloaded = row(CLIENT, NODE, 'ESTABLISHED').replace('431999 ESTABLISHED ', '').replace('ASSURED', 'OFFLOAD')
  assert.equal(await count(OWN, offloaded), 1)
})

test('rows with counters, and unanswered rows, are understood', async (t) => {
  const { count } = await table(t)
  const counted = row(CLIENT, NODE, 'ESTABLISHED').replace(' src=10.244', ' packets=7 bytes=900 src=10.244')
  const unanswered = row('10.0.0.9:50001', NODE, 'SYN_SENT').replace(' src=10.244', ' [UNREPLIED] src=10.244')
  assert.equal(await count(OWN, counted, unanswered), 2)
})

test('a row of the port that makes no sense makes all of it unknown', async (t) => {
  const { count } = await table(t)
  const well = [OWN, row(CLIENT, NODE, 'TIME_WAIT')]
  for (const odd of ['ipv4 2 tcp 6 x ESTABLISHED src= dport=443 ', 'ipv4 2 tcp 6 \u0000 dport=443 '])
    assert.equal(await count(...well, odd), undefined, odd)
  assert.equal(await count(...well), 0)
})

test('what one reading lacks the two before still have; a single one shows nothing', async (t) => {
  const { once, clock } = await table(t)
  const client = row(CLIENT, NODE, 'ESTABLISHED')
  assert.equal(await once(OWN, client), 'soon')
  assert.equal(await once(OWN, client), 'soon')
  assert.deepEqual(await once(OWN), { open: 1, elsewhere: 1 })
  assert.deepEqual(await once(OWN), { open: 1, elsewhere: 1 })
  assert.deepEqual(await once(OWN), { open: 0, elsewhere: 0 })
  await clock.advance(5_001)
  assert.equal(await once(OWN), 'soon')
})

test('a single reading without the own check may be one that the kernel passed over', async (t) => {
  const { once } = await table(t)
  const client = row(CLIENT, NODE, 'ESTABLISHED')
  for (let i = 0; i < 3; i += 1) await once(OWN, client)
  assert.equal(await once(client), 'soon')
  assert.deepEqual(await once(OWN), { open: 1, elsewhere: 1 })
})

test('a way in that no client has come by for ten minutes is proven no more', async (t) => {
  const { count, clock } = await table(t)
  assert.equal(await count(OWN, row(CLIENT, NODE, 'TIME_WAIT')), 0)
  await clock.advance(600_001)
  assert.equal(await count(OWN), undefined)
})

test('what rules lead elsewhere is distinguished from what the machine has itself', async (t) => {
  const { once } = await table(t)
  const own = row(CLIENT, NODE, 'ESTABLISHED').replace('src=10.244.1.7', 'src=10.0.0.5')
  const led = row('10.0.0.9:50001', NODE, 'ESTABLISHED')
  await once(OWN, own, led)
  await once(OWN, own, led)
  assert.deepEqual(await once(OWN, own, led), { open: 2, elsewhere: 1 })
})

test('before the first own check a table may tell soon', async (t) => {
  const path = join(await aFolder(t), 'nf_conntrack')
  await writeFile(path, '')
  const own = { isOwn: () => false, lastOwnPorts: () => [] }
  const tracked = new TrackedConnections(
    { port: 443, addresses: () => new Set(HERE), ...own, clock: new VirtualClock() },
    path,
  )
  for (let i = 0; i < 3; i += 1) assert.equal(await tracked.count(never), 'soon')
})

test('a table that cannot be read shows nothing', async (t) => {
  const clock = new VirtualClock()
  const parts = { port: 443, addresses: () => new Set(HERE), isOwn: () => true, lastOwnPorts: () => [40_000], clock }
  const folder = await aFolder(t)
  for (const path of [join(folder, 'not-there'), folder]) {
    const tracked = new TrackedConnections(parts, path)
    for (let i = 0; i < 3; i += 1) assert.equal(await tracked.count(never), undefined)
  }
})

test(
  'the kernel’s own table shows the clients of a port that rules lead into a pod',
  requires('iptables'),
  async (t) => {
    const network = await ForwardedPort.open()
    t.after(() => network.close())
    const said: string[] = []
    const argv = [process.execPath, '--disable-warning=ExperimentalWarning', COUNTER, String(network.port)]
    const counter = new Program(network.enter('node', argv), { onLine: (line) => said.push(line) })
    t.after(() => counter.kill('SIGKILL'))
    const becomes = async (count: string): Promise<void> => {
      await waitFor({ what: `${count} connections, not ${said.at(-1)}`, limitMs: 10_000, everyMs: 5 }, async () =>
        said.at(-1) === count ? true : undefined,
      )
    }
    await becomes('unknown')
    const first = await network.connected()
    await becomes('1')
    const second = await network.connected()
    await becomes('2')
    first.kill('SIGKILL')
    await becomes('1')
    second.kill('SIGKILL')
    await becomes('0')
  },
)
