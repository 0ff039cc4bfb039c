import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { runProgram } from '../../../src/cli/program.ts'
import { sceneOfDocument } from '../../../src/dns/cli/check-document.ts'
import { checkLines } from '../../../src/dns/cli/check-lines.ts'
import { addDnsCommand } from '../../../src/dns/cli/dns-command.ts'
import { SocketAsker } from '../../../src/dns/io/socket-asker.ts'
import { checkDns } from '../../../src/dns/run/check-dns.ts'
import { systemClock } from '../../../src/ground/machine/system-clock.ts'
import { systemRandom } from '../../../src/ground/machine/system-random.ts'
import { plainLine } from '../../../src/ground/text/terminal/style.ts'
import { memoryContext } from '../../cli/memory-context.ts'
import { type DnsWorld, dnsWorld } from '../../support/dns/dns-world.ts'
import { SeededRandom } from '../../support/seeded-random.ts'
import { aPodOfDns, aScene } from '../decide/a-scene.ts'
import { ZONE } from '../decide/a-zone.ts'

/** What `evenkeel dns …` says of a world of fakes on loopback. */
async function dns(
  world: DnsWorld | undefined,
  words: readonly string[],
  files: Readonly<Record<string, string>> = {},
) {
  const { context } = memoryContext({ files })
  const notHere = (): never => {
    throw new Error('it is asked for a check alone')
  }
  const load = async () => ({
    wouldRepair: notHere,
    repair: notHere,
    watch: notHere,
    openPages: notHere,
    check: ({ sought }: { readonly sought: object }, signal: AbortSignal) => {
      if (world === undefined) throw new Error('nothing is to be asked')
      const parts = {
        asker: new SocketAsker(systemClock, systemRandom),
        loopback: { ask: async () => ({ kind: 'notAsked' as const, text: 'forbidden' }) },
        control: { reaches: async () => true },
        clock: systemClock,
      }
      return checkDns({ ...parts, objects: world.objects, random: new SeededRandom(1), sought, timeoutMs: 100 }, signal)
    },
  })
  const code = await runProgram({ version: '0', context, commands: [addDnsCommand(load)] }, ['dns', ...words])
  return { code, out: context.out.text, err: context.err.text }
}

async function sick(t: TestContext): Promise<DnsWorld> {
  const world = await dnsWorld(t)
  world.pods[1]?.stopUdp()
  return world
}

/** Times and ports are another each time, and a slow answer makes its column wider. */
const steady = (text: string): string =>
  text
    .replaceAll(/ +(MEDIAN|\d+\.\d ms)$/gm, (_, found: string) => `  ${found === 'MEDIAN' ? found : 'N.N ms'}`)
    .replaceAll(/\d+\.\d ms/g, 'N.N ms')
    .replaceAll(/\(\d+ queries in (.*), [^)]*\)/g, '(N queries in $1, T)')

test('a healthy cluster is reported in a table, with exit code 0', async (t) => {
  const { code, out } = await dns(await dnsWorld(t), ['check'])
  assert.equal(
    steady(out),
    `OK  DNS of Service kube-system/kube-dns, queried from here (N queries in 1 round, T)

  FROM  TO                 NODE  UDP      TCP      ANSWERS     LOST  MEDIAN
  here  pod coredns-1      n1    answers  answers  right    0 of 73  N.N ms
  here  pod coredns-2      n2    answers  answers  right    0 of 73  N.N ms
  here  service 127.0.0.1        answers  answers  right    0 of 73  N.N ms

Healthy: every pod and the Service answer correctly over UDP
    a loss of less than 10 % on one of these ways may have been missed
`,
  )
  assert.equal(code, 0)
})

test('what is wrong is reported with its evidence, its cause and its cure, and exit code 1', async (t) => {
  const { code, out } = await dns(await sick(t), ['check'])
  assert.equal(code, 1)
  assert.match(
    steady(out),
    /^BAD {2}DNS of Service kube-system\/kube-dns, queried from here \(N queries in 2 rounds, T\)$/m,
  )
  assert.match(out, /^ {2}here {2}pod coredns-2 .* silent {3}answers .* 6 of 6$/m)
  assert.match(
    out,
    /^UdpDead pod coredns-2: the pod answers over TCP but not over UDP\n {4}here → coredns-2: UDP 0 of 6 answered \(no answer\); TCP answers.*\n {2}cause: Its UDP socket.*\n {2}cure: {2}Replace the pod\./m,
  )
})

test('where several places ask, the cost says how fast each may', () => {
  const scene = aScene()
  const rest = {
    askedZone: ZONE,
    selector: {},
    findings: [],
    notes: [],
    verdict: 'ok',
    rounds: 1,
    tookMs: 2_000,
  } as const
  const [[, head] = []] = checkLines({ ...rest, scene, queries: 1_600, queriesPerSecond: 800 }, false)
  assert.match(String(head), /\(1,600 queries in 1 round, 2 s, at most 800\/s from one place\)$/)
})

test('what was recorded is explained by the same words, without a cluster', async (t) => {
  const recorded = await dns(await sick(t), ['check', '-o', 'json'])
  assert.equal(recorded.code, 1)
  const document = JSON.parse(recorded.out)
  assert.deepEqual([document.version, document.verdict, document.rounds], ['1', 'bad', 2])
  assert.deepEqual(
    document.findings.map(({ code, row }: { code: string; row: number }) => [code, row]),
    [['UdpDead', 2]],
  )
  const again = await dns(undefined, ['explain', 'dns.json', '-o', 'json'], { 'dns.json': recorded.out })
  assert.deepEqual([again.code, JSON.parse(again.out).findings], [1, document.findings])
  const shown = await dns(undefined, ['explain', 'dns.json'], { 'dns.json': recorded.out })
  assert.match(shown.out, /^UdpDead pod coredns-2: /)
})

test('what pods count themselves is in the record, is observed and no more, and a forged count is refused', async () => {
  const seen = { state: 'observed', received: 4, answered: 4, overMs: 1_000, siblingsMean: 5.5 }
  const reading = {
    udp: 'notAsked',
    how: [],
    tcp: 'answers',
    data: 'right',
    upstream: 'notAsked',
    asked: 0,
    lost: 0,
    truncated: 0,
    servedBy: [],
    faults: [],
  }
  const recorded = (udpSeen: object): string =>
    JSON.stringify({
      version: '1',
      scene: {
        api: 'answers',
        service: { namespace: 'kube-system', name: 'kube-dns', addresses: ['10.96.0.10'], udpPort: 53, serving: 1 },
        pods: [{ name: 'coredns-1', uid: 'uid-1', addresses: [], ready: true, terminating: false, udpSeen }],
        nodes: [],
        vantages: [{ name: 'port-forward', control: 'notAsked', way: 'portForward' }],
        paths: [{ vantage: 'port-forward', target: { kind: 'pod', name: 'coredns-1' }, reading }],
      },
    })
  const shown = await dns(undefined, ['explain', 'dns.json'], { 'dns.json': recorded(seen) })
  assert.equal(shown.code, 3)
  assert.match(
    shown.out,
    /^UdpObserved pod coredns-1: .*\n.*received 4 and answered 4 over UDP in 1 s; other pods answered 5\.5 on average\n/,
  )
  const scene = sceneOfDocument(recorded(seen), 'dns.json')
  const askedZone = { zone: 'cluster.local', apiAddresses: [], dnsService: scene.service }
  const cost = { queries: 4, queriesPerSecond: 100, rounds: 1, tookMs: 1 } as const
  const check = { scene, verdict: 'observed', findings: [], askedZone, selector: {}, notes: [], ...cost } as const
  const table = checkLines(check, false).map(plainLine).join('\n')
  assert.match(table, /^OBSERVED {2}DNS of .*[\s\S]*^ {2}port-forward {2}pod coredns-1 +observed {2}answers {2}right/m)
  for (const forged of [
    { ...seen, state: 'well' },
    { ...seen, answered: '4' },
    { ...seen, overMs: null },
  ]) {
    const { code, err } = await dns(undefined, ['explain', 'dns.json'], { 'dns.json': recorded(forged) })
    assert.equal(code, 2)
    assert.match(err, /dns\.json: scene\.pods\[0\] is no pod/)
  }
})

test('a recorded pod whose end is no list is refused', async () => {
  const scene = aScene({ change: { pods: [{ ...aPodOfDns('a'), endedBy: 5 as never, isAway: 'down' }] } })
  const recorded = JSON.stringify({ version: '1', scene })
  const { code, err } = await dns(undefined, ['explain', 'dns.json'], { 'dns.json': recorded })
  assert.equal(code, 2)
  assert.match(err, /dns\.json: scene\.pods\[0\] is no pod/)
})

const WRONG: readonly (readonly [words: readonly string[], message: RegExp])[] = [
  [['check', '--service', 'kube-dns'], /--service: "kube-dns" is not NAMESPACE\/NAME.*\n.*kube-system\/kube-dns/],
  [['check', '--zone', 'cluster..local'], /--zone: "cluster\.\.local" is not a DNS name/],
  [['check', '--outside', `${'x'.repeat(64)}.com`], /--outside: "x+\.com" is not a DNS name/],
  [['check', '--relay'], /--relay: the image to run is missing.*\n.*--image registry\.example/],
  [['check', '--ephemeral', 'shop/web-0'], /--ephemeral: the image to run is missing/],
  [['check', '--ephemeral', 'web-0', '--image', 'x'], /--ephemeral: "web-0" is not NAMESPACE\/NAME.*\n.*shop\/web-0/],
  [
    ['check', '--exec', 'web-0'],
    /--exec: "web-0" is neither NAMESPACE\/POD nor NAMESPACE\/POD\/CONTAINER .*\n.*shop\/web-0\/web/,
  ],
  [['check', '--exec', 'shop/web-0/'], /--exec: "shop\/web-0\/" is neither NAMESPACE\/POD/],
  [['check', '--exec', 'shop/web-0/web/1'], /--exec: "shop\/web-0\/web\/1" is neither NAMESPACE\/POD/],
  [
    ['check', '--ephemeral', 'shop/web-0', '--image', 'x', '--exec', 'shop/web-0/web'],
    /--exec: it names the same pod as --ephemeral/,
  ],
  [['watch', '--ephemeral', 'shop/web-0', '--image', 'x'], /--ephemeral: each lost connection.*\n.*--relay/],
  [['watch', '--interval', '500ms'], /--interval: .*\n.*1s or more/],
  [['watch', '--scene'], /--scene needs -o json/],
  [['watch', '--metrics', '9153'], /ADDRESS:PORT/],
  [['watch', '--metrics', '127.0.0.1:99999'], /ADDRESS:PORT/],
  [['watch', '--progress', 'live'], /--progress live is not possible: stdout is no terminal/],
  [['repair', '--relay'], /--relay: the image to run is missing/],
  [['check', '--timeout', '0'], /--timeout/],
  [['check', '--timeout', '5'], /has no unit/],
  [['check', '--rate', '0'], /--rate.*\n?.*from 1 to 100000/],
  [['check', '--rate', '1.5'], /--rate.*\n?.*from 1 to 100000/],
  [['check', '--rate', '100001'], /--rate.*\n?.*from 1 to 100000/],
  [['explain', 'empty.json'], /empty\.json: is no JSON/],
  [['explain', 'other.json'], /other\.json: version is undefined, not "1"/],
  [['explain', 'half.json'], /half\.json: scene\.pods is missing/],
  [['explain', 'path.json'], /path\.json: scene\.paths\[0\] is no path/],
  [['explain', 'place.json'], /place\.json: scene\.vantages\[0\] is no place/],
  [['explain', 'node.json'], /node\.json: scene\.nodes\[0\] is no node/],
  [['explain', 'nowhere.json'], /cannot read nowhere\.json/],
]

for (const [words, message] of WRONG) {
  test(`${words.join(' ').slice(0, 60)} is wrong input, and asks nothing`, async () => {
    const scene = { service: {}, pods: [], nodes: [], vantages: [], paths: [{ vantage: 'v1' }] }
    const files = {
      'empty.json': '',
      'other.json': '{"items":[]}',
      'half.json': '{"version":"1","scene":{"service":{}}}',
      'path.json': JSON.stringify({ version: '1', scene }),
      'place.json': JSON.stringify({ version: '1', scene: { ...scene, vantages: [null], paths: [] } }),
      'node.json': JSON.stringify({ version: '1', scene: { ...scene, nodes: [null], paths: [] } }),
    }
    const { code, out, err } = await dns(undefined, words, files)
    assert.deepEqual([code, out], [2, ''])
    assert.match(err, message)
  })
}

test('each command shows how it is used, with an example', async () => {
  for (const words of [['--help'], ['check', '--help'], ['watch', '--help'], ['explain', '--help']]) {
    const { code, out } = await dns(undefined, words)
    assert.equal(code, 0)
    if (words.length > 1) assert.match(out, /Example[\s\S]*evenkeel dns/)
  }
})
