import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { type TestContext, test } from 'node:test'
import { root } from '../support/repository-files.ts'

/** A file that is new, as a whole; of one that there is, what is inserted, each after the text before it. */
type Change = string | readonly (readonly [after: string, inserted: string])[]
type Toy = Readonly<Record<string, Change>>

/** A balancer that is set and read like HAProxy, by a protocol of its own. */
const BALANCER: Toy = {
  'src/service/model/balancer-spec.ts': [
    ['  readonly commands: BalancerCommands\n', '  readonly toy: { readonly dataPort: number }\n'],
  ],
  'src/service/actuators/toy/toy.ts': `import type { Actuator } from '../actuator.ts'
import { haproxy } from '../haproxy/haproxy.ts'

export const toy: Actuator = { ...haproxy, canCut: false }
export const toyAdvice: Readonly<Record<string, string>> = { TOY_BROKEN: 'mend the toy' }
`,
  'src/service/actuators/actuator-of.ts': [
    ["import { healthCheck } from './mark/health-check.ts'\n", "import { toy, toyAdvice } from './toy/toy.ts'\n"],
    [
      '  commands: { actuator: commands, words: commandWords, advice: commandAdvice },\n',
      '  toy: { actuator: () => toy, advice: toyAdvice },\n',
    ],
  ],
  'src/service/actuators/toy/io/toy-balancer.ts': `import type { InstanceReading } from '../../../model/balancer.ts'
import type { InstanceInspection } from '../../../model/balancer-inspection.ts'
import type { BalancerSpec } from '../../../model/balancer-spec.ts'
import type { Balancer } from '../../../ports/balancer.ts'

export class ToyBalancer implements Balancer {
  readonly name: string
  readonly instances: readonly string[]

  constructor({ name, instances }: BalancerSpec<'toy'>) {
    this.name = name
    this.instances = instances
  }

  read(): Promise<InstanceReading> {
    return Promise.reject(new Error('it is a toy'))
  }

  inspect(): Promise<InstanceInspection> {
    return Promise.reject(new Error('it is a toy'))
  }

  async setState(): Promise<void> {}

  async cutSessions(): Promise<void> {}

  async close(): Promise<void> {}
}
`,
  'bin/roll/open-balancers.ts': [
    [
      "import { MarkedNodes } from '../../src/service/actuators/mark/io/marked-nodes.ts'\n",
      "import { ToyBalancer } from '../../src/service/actuators/toy/io/toy-balancer.ts'\n",
    ],
    [
      'const KINDS: { readonly [Kind in BalancerKind]: Open<Kind> } = {\n',
      '  toy: (spec) => ({ balancer: new ToyBalancer(spec) }),\n',
    ],
  ],
  'src/roll/file/schema/toy-section.ts': `import { balancerWay } from './balancer-way.ts'
import { wholeNumberField } from './number-field.ts'
import { section } from './section.ts'

export const toy = balancerWay({
  section: section({ dataPort: wholeNumberField({ description: 'A port.', example: 443 }, { from: 1, to: 65_535 }) }, 'A toy.'),
  instead: 'the toy is asked',
  viaOf: ({ dataPort }) => ({ kind: 'toy', dataPort }),
})
`,
  'src/roll/file/schema/balancers-section.ts': [
    ["import { nameField } from './text-field.ts'\n", "import { toy } from './toy-section.ts'\n"],
    ['const WAYS = { healthEndpoint, healthCheck, annotation, commands', ', toy'],
  ],
  'test/service/actuators/toy/toy.test.ts': `import assert from 'node:assert/strict'
import { openBalancers } from '../../../../bin/roll/open-balancers.ts'
import { loadRollFile } from '../../../../src/roll/file/load-roll-file.ts'
import { actuatorAt, adviceFor } from '../../../../src/service/actuators/actuator-of.ts'
import { ToyBalancer } from '../../../../src/service/actuators/toy/io/toy-balancer.ts'
import { toy } from '../../../../src/service/actuators/toy/toy.ts'

const load = (more: string) =>
  loadRollFile({
    file: 'roll.yaml',
    text: \`apiVersion: evenkeel.dev/v1alpha1
kind: Roll
metadata: {name: a}
spec: {nodes: {all: true}, balancers: [{name: edge, toy: {dataPort: 443}\${more}}]}
\`,
  })
const spec = load('')
const edge = { name: 'edge', instances: ['edge'], backends: ['nodes'], allowLastServer: false }
assert.deepEqual(spec.balancers, [{ ...edge, via: { kind: 'toy', dataPort: 443 } }])
assert.throws(() => load(', backends: [web]'), ({ details }: { readonly details: readonly string[] }) =>
  details.join().includes('"backends" beside "toy": the toy is asked'),
)
assert.equal(actuatorAt(spec.balancers, 'edge'), toy)
assert.equal(adviceFor('TOY_BROKEN'), 'mend the toy')
const { balancers } = openBalancers(spec, { cluster: undefined, env: {} })
assert.ok(balancers[0] instanceof ToyBalancer && balancers[0].name === 'edge')
`,
}

/** A hold by a label of the Node. */
const HOLD: Toy = {
  'src/guard/model/holds/toy.ts': `import { object, text } from '../../../ground/model/schema/open-api.ts'
import type { HoldKind } from './hold-kind.ts'

export const toy: HoldKind<{ readonly label: string }> = {
  schema: object('A toy.', { label: text('Key of a label.') }, { required: ['label'] }),
  parse: (field) => ({ label: field.at('label').text() }),
  clearText: ({ label }, node) => \`clear when \${node} does not have the label \${label}\`,
}
`,
  'src/guard/model/holds/hold-kinds.ts': [
    ["import { pods } from './pods.ts'\n", "import { toy } from './toy.ts'\n"],
    ['const KINDS = { volumes, pods, http, object: objectHold, annotation', ', toy'],
  ],
  'src/guard/run/read-hold.ts': [
    [
      'const READINGS: { readonly [Kind in HoldKindName]: Reading<Kind> } = {\n',
      "  toy: { local: ({ label }, { node }) => ({ kind: label in node.labels ? 'held' : 'clear', text: label }) },\n",
    ],
  ],
  'test/guard/run/toy-hold.test.ts': `import assert from 'node:assert/strict'
import type { Node } from '../../../src/ground/model/node.ts'
import { Untrusted } from '../../../src/ground/model/untrusted.ts'
import { NODE_GUARDS } from '../../../src/guard/decide/guard-kind.ts'
import { clearText } from '../../../src/guard/model/holds/hold-kinds.ts'
import { localVerdict } from '../../../src/guard/run/read-hold.ts'

const guardOf = (hold: object) => {
  const metadata = { namespace: 'data', name: 'storage', uid: 'u1', resourceVersion: '7', generation: 1 }
  const spec = { follow: { daemonSet: { name: 'storage' } }, holds: [{ name: 'a', ...hold }] }
  return NODE_GUARDS.parse(new Untrusted({ metadata, spec }, 'object'))
}
const { spec, findings } = guardOf({ toy: { label: 'busy' } })
const [hold] = spec.holds
assert.deepEqual([findings, hold], [[], { name: 'a', kind: 'toy', label: 'busy' }])
assert.ok(hold)
assert.equal(clearText(hold, 'n1'), 'clear when n1 does not have the label busy')
const says = (labels: Node['labels']) => localVerdict(hold, { node: { labels } as Node, attachments: [] })
assert.deepEqual(says({ busy: '' }), { hold: 'a', kind: 'held', text: 'busy' })
assert.deepEqual(says({}), { hold: 'a', kind: 'clear', text: 'busy' })
const [both] = guardOf({ toy: { label: 'busy' }, annotation: { key: 'a.b/c' } }).findings
assert.equal(both?.text, 'a hold has not exactly one of volumes, pods, http, object, annotation and toy')
`,
}

/** A switch of `evenkeel roll`. */
const FLAG: Toy = {
  'src/roll/cli/roll-options.ts': [
    ['  readonly evenIfBlocked?: boolean\n', '  readonly toySoak?: boolean\n'],
    ["    .option('--dry-run', 'show the plan; change nothing')\n", "    .option('--toy-soak', 'do not soak')\n"],
  ],
  'src/roll/cli/roll-spec-of-flags.ts': [
    [
      '  const spec = withNeed(await specOfFile(flags, selection, context), flags)\n',
      '  if (flags.toySoak === true) return { ...spec, soakMs: 0 }\n',
    ],
  ],
  'test/roll/cli/toy-flag.test.ts': `import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import process from 'node:process'
import type { CliContext } from '../../../src/cli/cli-context.ts'
import { rollSpecOfFlags } from '../../../src/roll/cli/roll-spec-of-flags.ts'

const said = (...words: readonly string[]) => execFileSync(process.execPath, ['bin/evenkeel.ts', ...words], { encoding: 'utf8' })
assert.match(said('roll', '--help'), /--toy-soak +do not soak/)
assert.match(said('__complete', 'roll', '--toy'), /^--toy-soak\\tdo not soak$/m)
const flags = { all: true, probe: true, output: 'text', color: 'auto', progress: 'auto', toySoak: true } as const
assert.equal((await rollSpecOfFlags([], flags, {} as CliContext)).soakMs, 0)
`,
}

/** Of all toys, the lines by which the compiler knows that there is one more. */
const NAMED = [
  'src/service/model/balancer-spec.ts',
  'src/guard/model/holds/hold-kinds.ts',
  'src/guard/model/holds/toy.ts',
]
/** What it asks for then. */
const ASKED = ['bin/roll/open-balancers.ts', 'src/guard/run/read-hold.ts', 'src/service/actuators/actuator-of.ts']

const TOYS = { ...BALANCER, ...HOLD, ...FLAG }
const isTest = (path: string): boolean => path.startsWith('test/')

function copyOfTree(t: TestContext): string {
  const copy = mkdtempSync(join(tmpdir(), 'evenkeel-places-'))
  t.after(() => rmSync(copy, { recursive: true }))
  for (const part of ['src', 'bin', 'package.json']) cpSync(join(root, part), join(copy, part), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'))
  const config = { compilerOptions, files: ['bin/evenkeel.ts'], include: ['test'] }
  writeFileSync(join(copy, 'tsconfig.json'), JSON.stringify(config))
  return copy
}

function write(copy: string, paths: readonly string[]): void {
  for (const path of paths) {
    const change = TOYS[path] ?? []
    const at = join(copy, path)
    if (typeof change === 'string') {
      mkdirSync(dirname(at), { recursive: true })
      writeFileSync(at, change)
      continue
    }
    const before = readFileSync(at, 'utf8')
    const after = change.reduce((text, [anchor, inserted]) => {
      assert.equal(text.split(anchor).length, 2, `${path} has once: ${anchor}`)
      return text.replace(anchor, () => `${anchor}${inserted}`)
    }, before)
    writeFileSync(at, after)
  }
}

/** Runs to its end, whatever the exit code. What a test of a test tells is not for the runner of this one. */
function run(copy: string, words: readonly string[]): Promise<{ readonly code: unknown; readonly text: string }> {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  return new Promise((resolve) =>
    execFile(process.execPath, [...words], { cwd: copy, env }, (error, out, err) =>
      resolve({ code: error?.code ?? 0, text: `${out}${err}` }),
    ),
  )
}

const compiled = (copy: string) => run(copy, ['node_modules/typescript-native/bin/tsc', '--noEmit'])

test('a new balancer, hold and flag touch 8, 5 and 3 files at most, with their tests, and work', async (t) => {
  assert.ok(Object.keys(BALANCER).length <= 8)
  assert.ok(Object.keys(HOLD).length <= 5)
  assert.ok(Object.keys(FLAG).length <= 3)
  const copy = copyOfTree(t)
  write(copy, NAMED)
  const asked = await compiled(copy)
  assert.deepEqual([...new Set(asked.text.match(/^(src|bin)\/[^(]+/gm))].toSorted(), ASKED, asked.text)
  write(
    copy,
    Object.keys(TOYS).filter((path) => !NAMED.includes(path)),
  )
  assert.deepEqual(await compiled(copy), { code: 0, text: '' })
  for (const path of Object.keys(TOYS).filter(isTest)) assert.deepEqual(await run(copy, [path]), { code: 0, text: '' })
})
