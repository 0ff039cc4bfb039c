import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load, refusal, rollYaml } from './roll-file.ts'

const HEAD = ['  nodes: {all: true}', '  probes:']
const PROBES = [
  '{name: shop, url: http://a/}',
  '{name: api, url: http://b/}',
  '{name: away, url: http://c/, control: true}',
]
const stopOf = (...lines: string[]) =>
  load(rollYaml(...HEAD, ...PROBES.map((probe) => `    - ${probe}`), '  stop:', ...lines)).stop

test('a file without stop rules has none', () => {
  assert.equal(load(rollYaml('  nodes: {all: true}')).stop, undefined)
})

test('what one node may be blamed for is as much as in all, unless the file says less', () => {
  const limits = (text: string) => stopOf(`    failedRequests: ${text}`)?.failedRequests
  assert.deepEqual(limits('{inAll: 5}'), { inAll: 5, perNode: 5 })
  assert.deepEqual(limits('{inAll: 5, perNode: 2}'), { inAll: 5, perNode: 2 })
})

test('a rule without a probe is for each probe that is no control', () => {
  assert.deepEqual(
    stopOf('    latency: [{slowerThan: 500ms, share: 0.5%}]', '    errorBudget: [{probe: api, downtime: 10s}]'),
    {
      latency: [
        { target: 'shop', slowerThanMs: 500, share: 0.005, overMs: 30_000 },
        { target: 'api', slowerThanMs: 500, share: 0.005, overMs: 30_000 },
      ],
      downtime: [{ target: 'api', downtimeMs: 10_000 }],
    },
  )
})

test('says all that is wrong with stop rules at once, each at its place', () => {
  const said = refusal(
    rollYaml(
      ...HEAD,
      '    - {name: shop, url: http://a/, timeout: 1s}',
      '  stop:',
      '    failedRequests: {inAll: 1, perNode: 2}',
      '    latency: [{slowerThan: 1s, share: 1%}]',
      '    errorBudget: [{probe: api, downtime: 1}]',
    ),
  )
  assert.match(
    said,
    /--> roll.yaml:9:41\n.*--> roll.yaml:10:28\n.*--> roll.yaml:11:27\n.*"1" has no unit.*--> roll.yaml:11:42\n/s,
  )
  assert.match(said, /there is no probe "api"/)
  assert.match(said, /^4 errors in roll\.yaml/m)
})
