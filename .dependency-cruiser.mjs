/** The arrows of ARCHITECTURE.md. Each rule says why; test/arch/layers.test.ts runs them. */
const CODE = '^(src|bin|testbed|test|bench)/'

/** A room or a system, and what else it may import. Paths below src, as regular expressions. */
const room = (name, from, mayImport, comment) => ({
  name,
  severity: 'error',
  comment,
  from: { path: `^src/${from}` },
  to: { path: CODE, pathNot: `^src/(${mayImport.join('|')})` },
})

/** What holds inside of every system: of src/SYSTEM/ROOM/ the ROOM. */
const inEach = (name, from, mayImport, comment) => ({
  name,
  severity: 'error',
  comment,
  from: { path: `^src/(${SYSTEMS})/${from}`, pathNot: IO },
  to: { path: '^src/', pathNot: `^src/(${mayImport.join('|')})` },
})

const SYSTEMS = 'service|agent|rebooter|ingress|guard|dns|roll|explain|operator'
/** Rooms that speak a protocol: of a system, or of one way to move traffic. */
const IO = '/io/'
const SPEAKS = `${IO}|^src/ground/(kube|net|machine)/`

/** Sockets, files and processes: only the code that speaks a protocol. */
const EFFECTS =
  '^(node:)?(net|tls|dgram|fs|fs/promises|http|https|http2|child_process|readline|sqlite|os|process|timers|timers/promises|worker_threads|cluster|dns|repl|inspector)$'

/** What of the model every loop may know. */
const OF_EVERY_LOOP = [
  'condition',
  'event-object',
  'invariant',
  'json-object',
  'lease',
  'loop-decision',
  'object-kind',
  'object-notice',
  'object-ref',
  'object-status',
  'over',
  'present',
  'reason',
  'time',
  'until-aborted',
  'world-error',
]

const PURE = ['ground/model/', `(${SYSTEMS})/(model|decide)/`, 'service/actuators/']

export default {
  forbidden: [
    room('ground-knows-no-system', 'ground/', ['ground/'], 'what every system stands on knows none of them'),
    room('model-is-data', 'ground/model/', ['ground/model/'], 'the model is plain data: it imports nothing else'),
    room('ports-are-interfaces', 'ground/ports/', ['ground/(model|ports)/'], 'ports are interfaces over the model'),
    room(
      'loop-speaks-no-protocol',
      'ground/loop/',
      ['ground/(model|ports|loop)/'],
      'loops get their effects handed in',
    ),
    room(
      'adapters-decide-nothing',
      'ground/(kube|net|machine)/',
      ['ground/(model|ports|kube|net|machine)/'],
      'adapters speak protocols over the model, and know no loop',
    ),
    room(
      'text-is-pure',
      'ground/text/',
      ['ground/(model|text)/'],
      'tables and colours are made from what they are given',
    ),
    {
      name: 'loop-knows-no-node',
      severity: 'error',
      comment: 'what every loop stands on knows objects, Leases and time; only the frame of owned objects knows nodes',
      from: { path: '^src/ground/loop/', pathNot: '^src/ground/loop/owned/' },
      to: { path: '^src/ground/model/', pathNot: `^src/ground/model/(${OF_EVERY_LOOP.join('|')})\\.ts$` },
    },
    room(
      'service-imports',
      'service/',
      ['ground/', 'service/', 'cli/'],
      'the service state knows no system that uses it',
    ),
    room('agent-imports', 'agent/', ['ground/', 'service/', 'agent/', 'cli/'], 'systems do not know one another'),
    room(
      'rebooter-imports',
      'rebooter/',
      ['ground/', 'service/', 'rebooter/', 'cli/'],
      'systems do not know one another',
    ),
    room('ingress-imports', 'ingress/', ['ground/', 'service/', 'ingress/', 'cli/'], 'systems do not know one another'),
    room('guard-imports', 'guard/', ['ground/', 'service/', 'guard/', 'cli/'], 'systems do not know one another'),
    room('dns-imports', 'dns/', ['ground/', 'service/', 'dns/', 'cli/'], 'systems do not know one another'),
    room(
      'roll-imports',
      'roll/',
      ['ground/', 'service/', 'roll/', 'cli/', 'dns/(model|ports|decide|run)/', 'guard/holds/'],
      'a roll checks DNS, and offers the holds of NodeGuards as gates; it knows nothing else of other systems',
    ),
    room(
      'operator-imports',
      'operator/',
      ['ground/', 'service/', 'operator/', 'roll/(model|file|report|ports|run)/'],
      'Rolls as objects: a run is begun by a pod and known by its journal, and no engine works in the controller',
    ),
    room(
      'explain-imports',
      'explain/',
      ['ground/', `(${SYSTEMS})/`, 'cli/'],
      'explain, doctor, init and bundle ask all systems; what a newcomer sees and the embedded cluster are none',
    ),
    room(
      'sim-imports',
      'sim/',
      ['sim/', 'ground/(model|ports)/'],
      'what runs in the embedded cluster must not have made it',
    ),
    room('cli-imports', 'cli/', ['cli/', 'ground/'], 'the frame of commands knows no command of a system'),
    {
      name: 'demo-is-seen-by-bin-alone',
      severity: 'error',
      comment: 'the demo shows all systems, and no system needs it',
      from: { path: '^src/', pathNot: '^src/demo/' },
      to: { path: '^src/demo/' },
    },
    inEach(
      'decide-is-pure',
      '(model|decide|actuators)/',
      PURE,
      'decisions are pure: they import nothing that reads or writes the world',
    ),
    inEach(
      'ports-of-systems',
      'ports/',
      ['ground/(model|ports)/', `(${SYSTEMS})/(model|ports)/`],
      'ports are interfaces over the model',
    ),
    inEach(
      'run-speaks-no-protocol',
      '(run|probe|holds)/',
      [...PURE, 'ground/(ports|loop|text)/', `(${SYSTEMS})/(ports|run|probe)/`, 'guard/holds/', 'operator/reading/'],
      'a loop reads, decides and performs by its ports; files of people, reports and screens are not its matter',
    ),
    inEach(
      'operator-reads-rolls-in-one-room',
      'reading/',
      ['ground/model/', 'operator/(model|decide|reading)/', 'roll/(model|file|report|ports|run)/'],
      'what a Roll takes from the roll itself: its file, and the view of its run',
    ),
    inEach(
      'file-is-read-alone',
      'file/',
      ['ground/(model|ports|text)/', 'roll/(file|model|ports|decide)/', 'service/'],
      'a file that people write is checked without the world',
    ),
    inEach(
      'report-is-made-from-events',
      'report/',
      ['ground/(model|text)/', 'roll/(report|model|decide)/', 'service/(model|decide)/'],
      'a report is made from events alone; the screen uses it, and not the other way round',
    ),
    {
      name: 'io-decides-nothing',
      severity: 'error',
      comment: 'what speaks a protocol of one system knows its words and its ports',
      from: { path: IO },
      to: {
        path: '^src/',
        pathNot: `${SPEAKS}|^src/ground/(model|ports)/|^src/(${SYSTEMS})/(model|ports)/|^src/guard/holds/`,
      },
    },
    {
      name: 'effects-in-io-alone',
      severity: 'error',
      comment:
        'a socket or a file outside of io, kube, net and machine, and the doors of the embedded cluster, is an effect that no test can take away',
      from: { path: '^src/', pathNot: `${SPEAKS}|^src/sim/(doors|loopback)/` },
      to: { path: EFFECTS },
    },
    {
      name: 'io-is-wired-in-bin',
      severity: 'error',
      comment: 'who imports what speaks a protocol has chosen the real world; that is the composition root alone',
      from: { path: '^src/', pathNot: SPEAKS },
      to: { path: SPEAKS },
    },
    {
      name: 'testbed-knows-nothing-of-src',
      severity: 'error',
      comment: 'what judges shares nothing with what is judged',
      from: { path: '^testbed/' },
      to: { path: '^(src|bin|bench)/' },
    },
    {
      name: 'no-circles',
      severity: 'error',
      comment: 'a circle is one file cut in two',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      comment: 'a file that nobody imports is dead',
      from: { orphan: true, path: '^src/', pathNot: '\\.d\\.ts$' },
      to: {},
    },
    {
      name: 'known-packages',
      severity: 'error',
      comment:
        'a package that package.json does not name breaks for others; what makes the bundle and the pages runs here alone',
      from: { path: '^(src|bin)/', pathNot: '^bin/(build\\.ts$|docs/)' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'npm-dev'], pathNot: '@types' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
}
