import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Untrusted } from '../../../src/ground/model/untrusted.ts'
import { fileWithRequests } from '../../../src/operator/decide/file-with-requests.ts'
import { ROLLS } from '../../../src/operator/model/roll-kind.ts'
import { fileOfRoll } from '../../../src/operator/reading/file-faults.ts'
import { type JsonSchema, rollFileJsonSchema } from '../../../src/roll/file/roll-file-json-schema.ts'

const PROBES = [{ name: 'shop', url: 'http://192.0.2.1/' }]
const faultsOf = (spec: object, allowed: readonly unknown[] = []): readonly string[] => {
  const file = fileOfRoll('kernel', { nodes: { all: true }, probes: PROBES, ...spec }, allowed)
  return 'faults' in file ? file.faults.map((fault) => fault.split(':')[0] ?? '') : []
}

/** A Roll that names each kind of thing that only an administrator may allow, and the fields that say so. */
const HOSTILE: readonly (readonly [spec: object, fields: readonly string[]])[] = [
  [{ reboot: { command: ['/bin/reboot', '{bootId}'] } }, ['spec.reboot.command']],
  [{ reboot: { ssh: { command: ['sh'] } } }, ['spec.reboot.ssh.command']],
  [{ reboot: { ssh: { configFile: '/tmp/x' } } }, ['spec.reboot.ssh.configFile']],
  [{ reboot: { ssh: { user: 'root' } } }, ['spec.reboot.ssh.user']],
  [{ reboot: { onlyIfNeeded: { command: ['x'], neededExitCode: 1 } } }, ['spec.reboot.onlyIfNeeded.command']],
  [{ reboot: { onlyIfNeeded: { sentinel: '/etc/shadow' } } }, ['spec.reboot.onlyIfNeeded.sentinel']],
  [{ gates: [{ name: 'g', before: 'node', command: ['sh'] }] }, ['spec.gates[0].command']],
  [{ hooks: [{ name: 'h', at: 'beforeNode', run: ['a'], undo: ['b'] }] }, ['spec.hooks[0].run', 'spec.hooks[0].undo']],
  [{ dns: { image: 'registry.example/mine' } }, ['spec.dns.image']],
  [
    { balancers: [{ name: 'b', instances: [{ name: 'l', socket: '/run/x.sock' }], backends: ['web'] }] },
    ['spec.balancers[0].instances[0].socket'],
  ],
  [
    {
      balancers: [
        { name: 'b', instances: [{ name: 'l', ssh: { host: 'lb', socket: '/run/x.sock' } }], backends: ['web'] },
      ],
    },
    ['spec.balancers[0].instances[0].ssh.host', 'spec.balancers[0].instances[0].ssh.socket'],
  ],
  ...(['file', 'env'] as const).map((way): (typeof HOSTILE)[number] => {
    const value = way === 'file' ? '/var/run/secrets/kubernetes.io/serviceaccount/token' : 'TOKEN'
    const headers = [{ name: 'Authorization', valueFrom: { [way]: value } }]
    const gates = [{ name: 'g', before: 'node', http: { url: 'http://192.0.2.66/', headers } }]
    return [{ gates }, [`spec.gates[0].http.headers[0].valueFrom.${way}`]]
  }),
]

for (const [spec, fields] of HOSTILE) {
  test(`${fields.join(' and ')} is refused unless an administrator allows that very value`, () => {
    assert.deepEqual(faultsOf(spec), fields)
    const isSent = fields.some((field) => /\.(file|env)$/.test(field))
    const found = fields.map((field) => valueAt({ spec }, field))
    if (isSent) assert.deepEqual(faultsOf(spec, found), fields)
    const values = isSent ? found.map((secret) => ({ secret })) : found
    assert.deepEqual(faultsOf(spec, values), [])
    const others = values.map((value) =>
      Array.isArray(value) ? [...value, '--more'] : isSent ? { secret: 'x' } : `${String(value)}x`,
    )
    assert.deepEqual(faultsOf(spec, others), fields)
    assert.deepEqual(
      faultsOf(spec, values.flat()),
      fields.filter((field) => Array.isArray(valueAt({ spec }, field))),
    )
  })
}

function valueAt(root: unknown, path: string): unknown {
  const steps = path.split(/[.[\]]+/).filter((step) => step !== '')
  return steps.reduce<unknown>((value, step) => (value as Readonly<Record<string, unknown>>)[step], root)
}

/** What kinds of values there are, and whether an author may choose them. A new kind has to be put into one of the two lists. */
const FREE = [
  ...[
    'CEL',
    'JSON',
    'JSON path',
    'PromQL',
    'address',
    'annotation key',
    'backend',
    'channel',
    'comparison',
    'condition',
  ],
  ...[
    'cron',
    'domain',
    'duration',
    'header name',
    'host:port',
    'key',
    'label key',
    'label name',
    'label value',
    'labels',
  ],
  ...['list', 'name', 'namespace', 'namespace/name', 'node name', 'not yet', 'number', 'number or percentage'],
  ...['percentage', 'requirement', 'section', 'selector', 'status', 'text', 'time zone', 'true or false', 'url'],
  ...['whole number', 'word', 'word or list'],
]
const GUARDED = ['argument', 'host', 'image', 'path', 'user name', 'variable']

test('each kind of value of a roll file is known as free or as guarded', () => {
  const titles = new Set<string>()
  const walk = (schema: JsonSchema | undefined): void => {
    if (schema === undefined) return
    if (schema.title !== undefined) titles.add(schema.title)
    for (const inner of Object.values(schema.properties ?? {})) walk(inner)
    for (const branch of schema.anyOf ?? []) walk(branch)
    walk(schema.items)
    if (typeof schema.additionalProperties === 'object') walk(schema.additionalProperties)
  }
  walk(rollFileJsonSchema())
  assert.deepEqual([...titles].toSorted(), [...FREE, ...GUARDED].toSorted())
})

test('a Roll that chooses no nodes, or has unknown fields, is refused by the field', () => {
  assert.deepEqual(faultsOf({ nodes: {} }), ['spec.nodes'])
  assert.deepEqual(faultsOf({ drian: {} }), ['spec'])
  assert.deepEqual(faultsOf({ soak: 5 }), ['spec.soak'])
})

test('a Roll that is nested thousands deep is refused, and ends no process', () => {
  for (const depth of [100, 9_000])
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      const deep: unknown = JSON.parse(`${open.repeat(depth)}1${close.repeat(depth)}`)
      assert.deepEqual(fileOfRoll('kernel', { deep }, []), {
        faults: ['spec: a value is nested more than 24 deep; remove it'],
      })
    }
})

test('what is wrong with a gate of a Roll is said by the place that its author wrote it at', () => {
  const spec = { nodes: { all: true }, probes: PROBES, gates: [{ name: 'g', before: 'node', command: ['sh'] }] }
  const metadata = { namespace: 'evenkeel', name: 'kernel', uid: 'u1', resourceVersion: '1' }
  const roll = ROLLS.parse(new Untrusted({ metadata, spec: { ...spec, approval: 'perNode' } }, 'roll'))
  const file = fileOfRoll('kernel', fileWithRequests(roll), [])
  assert.deepEqual('faults' in file && file.faults.map((fault) => fault.split(':')[0]), ['spec.gates[0].command'])
})
