/** The arrows of ARCHITECTURE.md. Each rule says why; test/arch/layers.test.ts runs them. */
const layer = (name, mayImport, comment) => ({
  name: `${name}-imports`,
  severity: 'error',
  comment,
  from: { path: `^src/${name}/` },
  to: { path: '^(src|bin|testbed|test|bench)/', pathNot: `^src/(${[name, ...mayImport].join('|')})/` },
})

/** Sockets, files and processes: only the code that speaks a protocol. */
const EFFECTS =
  '^(node:)?(net|tls|dgram|fs|fs/promises|http|https|http2|child_process|readline|sqlite|os|process|timers|timers/promises|worker_threads|cluster|dns|repl|inspector)$'

/** What of the model the ground of every loop may know. */
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
  'reason',
  'slot',
  'time',
  'until-aborted',
  'world-error',
]

export default {
  forbidden: [
    layer('model', [], 'model is plain data: it imports nothing'),
    layer('core', ['model'], 'core decides: pure, synchronous, and knows nobody who could ask the world'),
    layer('ports', ['model'], 'ports are interfaces over the model'),
    layer('runtime', ['model', 'ports'], 'runtime is the ground of every loop and knows no domain rule'),
    {
      name: 'runtime-knows-no-node',
      severity: 'error',
      comment:
        'what every loop stands on knows objects, Leases and time: a node, its record and its reboot are a controller’s',
      from: { path: '^src/runtime/' },
      to: { path: '^src/model/', pathNot: `^src/model/(${OF_EVERY_LOOP.join('|')})\\.ts$` },
    },
    layer('controllers', ['model', 'core', 'ports', 'runtime'], 'controllers wire a loop and speak no protocol'),
    layer('adapters', ['model', 'ports'], 'adapters speak protocols and decide nothing'),
    layer(
      'sim',
      ['model', 'ports'],
      'the embedded cluster is a world of its own: what runs in it must not have made it',
    ),
    layer('config', ['model', 'core', 'ports', 'runtime', 'controllers'], 'config reads files that people write'),
    layer(
      'report',
      ['model', 'core', 'cli/roll', 'cli/text'],
      'a report is made from events alone, by the words of the screen; it asks nobody',
    ),
    layer(
      'cli',
      ['model', 'core', 'ports', 'runtime', 'controllers', 'config', 'report'],
      'commands get their effects handed in',
    ),
    {
      name: 'effects-in-adapters-alone',
      severity: 'error',
      comment:
        'a socket or a file outside adapters, and the doors and real sockets of the embedded cluster, is an effect that no test can take away',
      from: { path: '^src/', pathNot: '^src/(adapters|sim/doors|sim/loopback)/' },
      to: { path: EFFECTS },
    },
    {
      name: 'adapters-are-wired-in-bin',
      severity: 'error',
      comment: 'who imports an adapter has chosen the real world; that is the composition root alone',
      from: { path: '^src/', pathNot: '^src/adapters/' },
      to: { path: '^src/adapters/' },
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
