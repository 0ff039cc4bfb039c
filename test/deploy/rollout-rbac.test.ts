import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parseAllDocuments } from 'yaml'
import { ScriptedRollout } from '../ingress/cli/scripted-rollout.ts'
import { grantedBy, type RbacManifest } from '../support/granted-rights.ts'

const manifests = parseAllDocuments(
  readFileSync(new URL('../../deploy/rollout-rbac.yaml', import.meta.url), 'utf8'),
).map((document) => document.toJS() as RbacManifest)

const grantedTo = (...roles: readonly string[]): readonly string[] =>
  grantedBy(manifests.filter(({ metadata }) => roles.includes(metadata.name))).toSorted()

/** `verb group resource namespace name`, as `grantedBy` has them: a role of the cluster names neither of the last two. */
function rightOf(request: string): string {
  const [method = '', url = ''] = request.split(' ')
  const { pathname, searchParams } = new URL(url, 'http://api')
  const [, group, namespace, resource, name] =
    pathname.match(/^\/apis\/([^/]+)\/[^/]+\/namespaces\/([^/]+)\/([^/]+)(?:\/([^/]+))?$/) ?? []
  const reads = name !== undefined ? 'get' : searchParams.get('watch') === null ? 'list' : 'watch'
  const verb = method === 'PATCH' ? 'patch' : reads
  const isLease = resource === 'leases'
  return [verb, group, resource, isLease ? namespace : '*', isLease ? name : '*'].join(' ')
}

/** Of all requests that these commands make, in either group. */
async function askedBy(lines: readonly string[]): Promise<readonly string[]> {
  const STUCK = { name: 'n2', state: 'Stuck', isUnderWay: true }
  const requests: string[] = []
  for (const line of lines) {
    for (const isOfFirst of [false, true]) {
      const scripted = new ScriptedRollout({ nodes: [STUCK] })
      if (isOfFirst) scripted.alsoInFirstGroup()
      const target = isOfFirst ? 'ids.ingressdaemonsets.mumoshu.github.io/web' : 'ids/web'
      const { code, err } = await scripted.run(...line.replace('TARGET', target).split(' '))
      assert.notEqual(code, 2, err)
      requests.push(...scripted.api.requests)
    }
  }
  return [...new Set(requests.map(rightOf))].toSorted()
}

const VIEW = ['status TARGET --timeout 10s', 'history TARGET']
const CHANGE = ['pause TARGET', 'resume TARGET']

test('the shipped role for looking grants what status and history ask for, and nothing else', async () => {
  assert.deepEqual(await askedBy(VIEW), grantedTo('evenkeel-rollout-view', 'evenkeel-rollout-lead'))
})

test('the shipped role for changing grants what all commands ask for, and nothing else', async () => {
  const scripted = new ScriptedRollout({ nodes: [{ name: 'n2', state: 'Stuck', isUnderWay: true }] })
  assert.equal((await scripted.run('retry', 'ids/web')).code, 0)
  const asked = new Set([...(await askedBy([...VIEW, ...CHANGE])), ...scripted.api.requests.map(rightOf)])
  assert.deepEqual([...asked].toSorted(), grantedTo('evenkeel-rollout', 'evenkeel-rollout-lead'))
})

test('the shipped roles contain no wildcard', () => {
  const words = manifests.flatMap(({ rules = [] }) =>
    rules.flatMap(({ apiGroups, resources, verbs }) => [...apiGroups, ...resources, ...verbs]),
  )
  assert.ok(words.length > 0)
  assert.deepEqual(
    words.filter((word) => word.includes('*')),
    [],
  )
})
