import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onlyFinding, refusal, rollYaml } from './roll-file.ts'

const all = '  nodes: {all: true}'

test('names an unknown field, the fields there are and the nearest', () => {
  assert.equal(
    onlyFinding(rollYaml(all, '  drain:', '    blokedLimit: 3min')),
    `error: unknown field "blokedLimit" (config.unknown-field)
 --> roll.yaml:7:5
7 |     blokedLimit: 3min
  |     ^^^^^^^^^^^
  = note: spec.drain has: firstStage, daemonSets, deleteEmptyDirData, deleteUnmanaged, grace, polite,
  =       preferDone, blocked, safeToEvict, blockedLimit, stageLimit
  = fix: write "blockedLimit"`,
  )
})

test('asks for the unit of a duration', () => {
  assert.equal(
    onlyFinding(rollYaml(all, '', '', '', '', '  drain:', '    stageLimit: 30')),
    `error: "30" has no unit (config.duration)
  --> roll.yaml:11:17
11 |     stageLimit: 30
   |                 ^^ ms, s, min or h
   = fix: stageLimit: 30s`,
  )
})

test('says all that is wrong at once, in file order', () => {
  assert.equal(
    refusal(rollYaml('  maxUnavailable: 2', all, '  soak: 0', '  reboot: {returnLimit: 2d}', '  gate: x')),
    `error: not yet: for several nodes at a time, use \`parallel\` (config.not-yet)
 --> roll.yaml:5:3
5 |   maxUnavailable: 2
  |   ^^^^^^^^^^^^^^
  = fix: remove "maxUnavailable"
error: "0" has no unit (config.duration)
 --> roll.yaml:7:9
7 |   soak: 0
  |         ^ ms, s, min or h
  = fix: soak: 0s
error: "2d" is not a duration (config.duration)
 --> roll.yaml:8:25
8 |   reboot: {returnLimit: 2d}
  |                         ^^ ms, s, min or h
  = fix: returnLimit: 48h
error: unknown field "gate" (config.unknown-field)
 --> roll.yaml:9:3
9 |   gate: x
  |   ^^^^
  = note: spec has: nodes, slots, balancers, detach, drain, reboot, dns, settle, attach, soak, probes,
  =       baseline, stop, gates, hooks, silences, announce, notify, window, hosts, parallel, zones
  = fix: write "gates"
4 errors in roll.yaml. Nothing was contacted or changed.`,
  )
})

const PROBES = '  probes: [{name: shop, url: http://a/}, {name: away, url: http://b/, rate: 1, control: true}]'
const PAIR = ['  hosts:', '    pairs:', '      - name: edge', '        addresses: [10.0.0.100]']
const BALANCER =
  '  balancers: [{name: edge, backends: [web], instances: [{name: lb-1, socket: /a}, {name: lb-2, socket: /b}]}]'
const machines = (...names: readonly string[]): readonly string[] => [
  '        machines:',
  ...names.map((name, index) => `          - {name: lb-${index + 1}, instances: [${name}]}`),
]

const SILENCE = '{name: NAME, url: http://am, matchers: [{name: i, value: "{node}"}]}'

/** Lines of a spec with one fault, and the first line and the fix of what is said. */
const FAULTS: readonly (readonly [lines: readonly string[], first: string, fix: string])[] = [
  [[all, '  soak: ten'], '"ten" is not a duration (config.duration)', 'soak: 30s'],
  [[all, '  soak: 25h'], '"25h" is too long (config.range)', 'soak: 30s'],
  [[all, '  slots: {leaseDuration: 1s}'], '"1s" is too short (config.range)', 'leaseDuration: 30s'],
  [[all, '  drain: {grace: 1500ms}'], '"1500ms" is not a whole number of seconds (config.range)', 'grace: 2s'],
  [[all, '  drain: {deleteUnmanaged: no way}'], '"no way" is not true or false (config.type)', 'deleteUnmanaged: true'],
  [[all, '  drain: {deleteUnmanaged: off}'], '"off" is not true or false (config.type)', 'deleteUnmanaged: false'],
  [[all, '  drain: []'], 'a list is not a section (config.type)', 'drain: {}'],
  [
    [all, '  dns: {service: kube-dns}'],
    '"kube-dns" is not a namespace/name (config.value)',
    'service: kube-system/kube-dns',
  ],
  [[all, '  announce: {conditions: every}'], '"every" is not true or false (config.type)', 'conditions: true'],
  [[all, '  announce: true'], '"true" is not a section (config.type)', 'announce: {}'],
  [[all, '  announce:'], '"announce" has no value (config.empty)', 'announce: {}'],
  [[all, '  settle:'], '"settle" has no value (config.empty)', 'settle: {}'],
  [[all, '  drain: {firstStage: "a b"}'], '"a b" is not a condition (config.selector)', 'firstStage: tier=database'],
  [[all, '  drain: {firstStage: {}}'], 'the selector is empty (config.selector)', 'firstStage: tier=database'],
  [[all, '  drain: {firstStage: 5}'], '"5" is not a selector (config.type)', 'firstStage: tier=database'],
  [[all, '  drain: {polite: [{}]}'], 'missing field "selector" (config.missing-field)', 'selector: app=whoami'],
  [
    [all, '  drain: {polite: []}'],
    '"polite" is an empty list (config.range)',
    'polite: [{selector: app=whoami, leaveAfter: 6s}]',
  ],
  [
    [all, '  drain: {polite: [{selector: a=b, leaveAfter: 500ms}]}'],
    '"500ms" is too short (config.range)',
    'leaveAfter: 30s',
  ],
  [[all, '  drain: {polite: [{selector: a=b, namespaces: [A_b]}]}'], '"A_b" is not a namespace (config.value)', 'shop'],
  [
    [all, '  drain: {blocked: [{ask: 1h}]}'],
    'one of selector, namespaces is missing (config.choice)',
    'selector: app=legacy',
  ],
  [
    [all, '  drain: {blocked: [{selector: a=b, delete: false}]}'],
    'one of wait, surge, ask, delete is missing (config.choice)',
    'ask: 1h',
  ],
  [
    [all, '  drain: {blocked: []}'],
    '"blocked" is an empty list (config.range)',
    'blocked: [{selector: app=legacy, wait: 2min, surge: 5min, ask: 1h}]',
  ],
  [[all, '  drain: {blocked: [{selector: a=b, ask: 25h}]}'], '"25h" is too long (config.range)', 'ask: 30s'],
  [[all, '  drain: {safeToEvict: wait}'], 'unknown safeToEvict "wait" (config.value)', 'safeToEvict: ignore'],
  [[all, '  drain: {safeToEvict: true}'], 'unknown safeToEvict "true" (config.value)', 'safeToEvict: ignore'],
  [[all, '  drain: {daemonSets: [{matchLabels: {a: "-"}}]}'], '"-" is not a label value (config.selector)', ''],
  [[all, '  drain: {daemonSets: [{matchLabels: {-a: b}}]}'], '"-a" is not a label key (config.selector)', ''],
  [
    ['  soak: 1s'],
    'the file chooses no nodes (config.no-nodes)',
    'choose them here, or on the command line: evenkeel roll NODE..., -l SELECTOR or --all',
  ],
  [
    ['  nodes: {names: [a], all: true}'],
    '"all" beside "names": only one may be written (config.choice)',
    'keep one of: names, all',
  ],
  [['  nodes: {names: []}'], '"names" is an empty list (config.range)', 'names: [worker-1]'],
  [['  nodes: {names: [a, b, a]}'], '"a" is written twice (config.repeated)', 'write it once'],
  [['  nodes: {names: [7]}'], '"7" is not a node name (config.type)', '"7"'],
  [['  nodes: {names: [B_1]}'], '"B_1" is not a node name (config.value)', 'worker-1'],
  [[all, '  probes: [{name: a}]'], 'missing field "url" (config.missing-field)', 'url: https://app.example.com/'],
  [
    [all, '  probes: [{name: a, url: "ftp://x"}]'],
    '"ftp://x" is neither http nor https (config.url)',
    'url: https://app.example.com/',
  ],
  [
    [all, '  probes: [{name: a, url: "http://me:pw@x"}]'],
    'the URL carries a user or a password (config.url)',
    'url: https://app.example.com/',
  ],
  [[all, '  probes: [{name: a, url: "http://x", rate: 0}]'], '"0" is too small (config.range)', 'rate: 100'],
  [[all, '  probes: [{name: a, url: "http://x", kept: 1.5}]'], '"1.5" is not a whole number (config.type)', 'kept: 8'],
  [
    [all, '  probes: [{name: a, url: "http://x", expectStatus: 300-200}]'],
    'the range ends before it begins (config.value)',
    'expectStatus: 200-299',
  ],
  [
    [all, '  probes: [{name: a, url: "http://x", control: true}]'],
    'every probe is a control, so nothing would measure the roll (config.choice)',
    'add a target behind the balancers',
  ],
  [
    [all, '  probes: [{name: a, url: "http://x"}, {name: a, url: "http://y"}]'],
    '"a" is written twice (config.repeated)',
    'give each a different name',
  ],
  [
    [all, '  reboot: {ssh: {}, command: [x, "{bootId}"]}'],
    '"command" beside "ssh": only one may be written (config.choice)',
    'keep one of: ssh, command',
  ],
  [
    [all, '  reboot: {command: [x]}'],
    'the command cannot check the boot id (config.placeholder)',
    'pass "{bootId}" and compare it on the machine',
  ],
  [
    [all, '  reboot: {onlyIfNeeded: {command: [needs-restarting, -r]}}'],
    'which exit code means that a reboot is needed is not said (config.need)',
    'neededExitCode: 1',
  ],
  [
    [all, '  reboot: {onlyIfNeeded: {neededExitCode: 1}}'],
    'there is no command that could end with that code (config.need)',
    "command: [needs-restarting, '-r']",
  ],
  [
    [all, '  reboot: {command: [x, "{bootId}"], onlyIfNeeded: {sentinel: /run/x}}'],
    '"sentinel" needs ssh, and reboot.command does not ask machines (config.need)',
    'name condition, kernelVersion, kubeletVersion or osImage; or reboot by ssh',
  ],
  [
    [all, '  reboot: {command: [x, "{bootId}"], onlyIfNeeded: {command: [x], neededExitCode: 0}}'],
    '"command" needs ssh, and reboot.command does not ask machines (config.need)',
    'name condition, kernelVersion, kubeletVersion or osImage; or reboot by ssh',
  ],
  [
    [all, '  reboot: {command: [x, "{bootId}"], onlyIfNeeded: {}}'],
    'a file on the machine can be looked for by ssh only, and reboot.command does not ask machines (config.need)',
    'name condition, kernelVersion, kubeletVersion or osImage; or reboot by ssh',
  ],
  [
    [all, '  reboot: {onlyIfNeeded: {condition: Other}}'],
    'unknown condition "Other" (config.value)',
    'condition: RebootRequired',
  ],
  [
    [all, '  reboot: {onlyIfNeeded: {sentinel: run/x}}'],
    '"run/x" is not a path (config.value)',
    'sentinel: /var/run/reboot-required',
  ],
  [
    [all, BALANCER, ...PAIR, '        trackFile: {path: /run/x, away: -100}', ...machines('lb-1', 'lb-3')],
    'there is no instance "lb-3" (config.value)',
    'lb-1',
  ],
  [
    [all, BALANCER, ...PAIR, '        moveAway: [x]', ...machines('lb-1', 'lb-2')],
    '"moveAway" without its counterpart (config.choice)',
    'trackFile: {path: /run/keepalived/evenkeel, away: 1}',
  ],
  [
    [
      all,
      BALANCER,
      ...PAIR,
      '        moveAway: [x]',
      '        moveBack: [x, "{host}"]',
      '        runs: here',
      ...machines('lb-1', 'lb-2'),
    ],
    'the command does not receive the machine (config.placeholder)',
    'pass "{host}"',
  ],
  [
    [all, '  maxUnavailable: 2'],
    'not yet: for several nodes at a time, use `parallel` (config.not-yet)',
    'remove "maxUnavailable"',
  ],
  [[all, '  parallel: 0'], '"0" is too small (config.range)', 'parallel: 1'],
  [
    [all, '  stop: {failedRequests: {inAll: 3}}'],
    'a stop rule without a probe: nothing is measured (config.stop)',
    'add "probes", or remove "stop"',
  ],
  [[all, PROBES, '  stop: {failedRequests: {inAll: -1}}'], '"-1" is too small (config.range)', 'inAll: 5'],
  [[all, PROBES, '  stop: {failedRequests: {perNode: 2}}'], 'missing field "inAll" (config.missing-field)', 'inAll: 5'],
  [
    [all, PROBES, '  stop: {failedRequests: {inAll: 3, perNode: 4}}'],
    '"perNode" allows 4 and "inAll" only 3 (config.stop)',
    'perNode: 3',
  ],
  [
    [all, PROBES, '  stop: {latency: []}'],
    '"latency" is an empty list (config.range)',
    'latency: [{slowerThan: 500ms, share: "1%", over: 30s}]',
  ],
  [
    [all, PROBES, '  stop: {latency: [{slowerThan: 500ms, share: 101%}]}'],
    '"101%" is not a share of requests (config.range)',
    'share: "1%"',
  ],
  [
    [all, PROBES, '  stop: {latency: [{slowerThan: 500ms, share: -1%}]}'],
    '"-1%" is not a share of requests (config.range)',
    'share: "1%"',
  ],
  [
    [all, PROBES, '  stop: {latency: [{slowerThan: 500ms, share: 0.01}]}'],
    '"0.01" is not a share of requests (config.range)',
    'share: "1%"',
  ],
  [
    [all, PROBES, '  stop: {latency: [{slowerThan: 2s, share: 1%}]}'],
    'a request to shop that takes 2 s has failed already (config.stop)',
    'slowerThan: 1000ms',
  ],
  [
    [all, PROBES, '  stop: {latency: [{probe: shpo, slowerThan: 1s, share: 1%}]}'],
    'there is no probe "shpo" (config.stop)',
    'probe: shop',
  ],
  [
    [all, PROBES, '  stop: {latency: [{slowerThan: 1s, share: 0.02%, over: 10s}]}'],
    '0.02 % of the 1000 requests to shop in 10 s is less than one (config.stop)',
    'over: 50s',
  ],
  [
    [all, PROBES, '  stop: {errorBudget: [{downtime: -10s}]}'],
    '"-10s" is not a duration (config.duration)',
    'downtime: 10s',
  ],
  [
    [all, PROBES, '  stop: {errorBudget: [{probe: away, downtime: 10s}]}'],
    '"away" is a control, which stops no roll (config.stop)',
    'probe: shop',
  ],
  // A list where a word or a section stands, and the other way round.
  [[all, '  gates: [{name: g, before: [nod], command: [x]}]'], 'unknown before "nod" (config.value)', 'node'],
  [[all, '  hooks: [{name: h, at: [beforeNode], run: [x]}]'], 'a list is not a word (config.type)', 'at: beforeNode'],
  [
    [all, '  probes: {name: a, url: http://x}'],
    'a section is not a list (config.type)',
    'begin each entry with "- ", as in - {name: shop, url: https://app.example.com/}',
  ],
  [
    [all, '  probes: http://x'],
    '"http://x" is not a list (config.type)',
    'probes: [{name: shop, url: https://app.example.com/}]',
  ],
  [['  nodes: all'], '"all" is not a section (config.type)', 'nodes: {all: true}'],
  [
    [all, '  balancers: [{name: e, instances: [], backends: [w]}]'],
    '"instances" is an empty list (config.range)',
    'instances: [{name: lb-1, socket: /run/haproxy/admin.sock}]',
  ],
  // Too short is not too long.
  [
    [all, '  gates: [{name: g, before: node, prometheus: {url: http://p, query: "", expect: == 0}}]'],
    '"query" is empty (config.range)',
    'query: "sum(ceph_health_status) or vector(0)"',
  ],
  [
    [all, BALANCER, ...PAIR, '        trackFile: {path: /run/x, away: 1}', ...machines('lb-1')],
    '"machines" has 1 entry (config.range)',
    '',
  ],
  [
    [all, `  silences: [${Array.from({ length: 9 }, (_, at) => SILENCE.replace('NAME', `s-${at}`)).join(', ')}]`],
    '"silences" has 9 entries (config.range)',
    '',
  ],
  [
    [
      all,
      BALANCER,
      ...PAIR.map((line) => line.replace('0.100', '0.300')),
      '        trackFile: {path: /run/x, away: 1}',
      ...machines('lb-1', 'lb-2'),
    ],
    '"10.0.0.300" is not an IP address (config.address)',
    '"10.0.0.100"',
  ],
  // A word in braces that is no placeholder there.
  ...[
    'hooks: [{name: h, at: beforeNode, run: [x, "{nod}"]}]',
    'hooks: [{name: h, at: beforeNode, run: [x, "{node}"], undo: [x, "{nod}"]}]',
    'gates: [{name: g, before: node, command: [x, "a={nod}"]}]',
    'gates: [{name: g, before: node, prometheus: {url: http://p, query: \'up{n="{nod}"}\', expect: == 0}}]',
    'gates: [{name: g, before: node, object: {version: v1, resource: nodes, name: "{nod}", condition: Ready}}]',
    'reboot: {command: [x, "{nod}", "{bootId}"]}',
    `silences: [${SILENCE.replace('NAME', 's').replace('}]', '}, {name: n, value: "{nod}"}]')}]`,
    'balancers: [{name: e, commands: {detach: [d, "{node}", "{nod}"], attach: [d, "{node}"], status: [d, "{node}"], dataPort: 1}}]',
  ].map((line): (typeof FAULTS)[number] => [
    [all, `  ${line}`],
    '{nod} is no placeholder (config.placeholder)',
    'write {node}',
  ]),
  [
    [all, '  reboot: {ssh: {command: [x, "{node}"]}}'],
    '{node} is no placeholder (config.placeholder)',
    'leave it out: the command runs on the machine itself',
  ],
  // A scheme without a host.
  ...['http:///x', 'http:x', 'https:/app.example.com/', 'http://'].map((url): (typeof FAULTS)[number] => [
    [all, `  probes: [{name: a, url: "${url}"}]`],
    `"${url}" has no host after "//" (config.url)`,
    'url: https://app.example.com/',
  ]),
  [
    [all, '  gates: [{name: g, before: node, http: {url: "http:///x"}}]'],
    '"http:///x" cannot be queried: it has no host after "//" (config.url)',
    'url: "http://storage.example.com/nodes/{node}/ready"',
  ],
]

for (const [lines, first, fix] of FAULTS) {
  test(`refuses with its fix: ${lines.at(-1)?.trim()}`, () => {
    const said = onlyFinding(rollYaml(...lines)).split('\n')
    assert.equal(said[0], `error: ${first}`)
    assert.equal(said.find((line) => line.includes('= fix: '))?.replace(/^.*= fix: /, '') ?? '', fix)
  })
}
