import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { IngressGroup } from '../../../../src/ground/model/ingress-keys.ts'
import { present } from '../../../../src/ground/model/present.ts'
import { Untrusted } from '../../../../src/ground/model/untrusted.ts'
import { WorldError } from '../../../../src/ground/model/world-error.ts'
import type { Objects } from '../../../../src/ground/ports/objects.ts'
import { ingressKind } from '../../../../src/ingress/decide/ingress-kind.ts'
import { findIngress } from '../../../../src/ingress/run/commands/find-ingress.ts'

const never = new AbortController().signal

const web = (group: IngressGroup) =>
  ingressKind(group).parse(
    new Untrusted(
      { metadata: { name: 'web', namespace: 'edge', uid: group, resourceVersion: '1' }, spec: { template: {} } },
      group,
    ),
  )
const PAGE = new WorldError('a page of a gateway', { code: 'KUBE_NO_PATH', retry: 'backoff' })
const OLDER = 'ingressdaemonsets.mumoshu.github.io'

/** Each group answers in turn, and then as it did last: with the object, with its absence, or with an error. */
function cluster(answers: Partial<Record<string, readonly ('object' | 'absent' | WorldError)[]>>) {
  const asked = new Map<string, number>()
  const get = async ({ kind: { group = '' } }: { readonly kind: { readonly group?: string } }): Promise<unknown> => {
    const said = answers[group] ?? [PAGE]
    const times = asked.get(group) ?? 0
    asked.set(group, times + 1)
    const answer = said[Math.min(times, said.length - 1)]
    if (answer instanceof WorldError) throw answer
    return answer === 'object' ? web(group as IngressGroup) : undefined
  }
  return { get } as Pick<Objects, 'get'>
}

const find = (objects: Pick<Objects, 'get'>, group?: IngressGroup) =>
  findIngress(objects, { namespace: 'edge', name: 'web', ...present({ group }) }, never)

test('where no kind of IngressDaemonSets is served, that is said, and not that there is none of the name', async () => {
  const refused = { name: 'UserError', code: 'KUBE_NO_PATH', message: /not installed, or a gateway/ }
  await assert.rejects(find(cluster({})), refused)
  await assert.rejects(find(cluster({ [OLDER]: ['absent'] }), 'evenkeel.dev'), refused)
})

test('a group that is not installed hides no object of the other one', async () => {
  assert.equal((await find(cluster({ 'evenkeel.dev': ['object'] }))).group, 'evenkeel.dev')
  assert.equal((await find(cluster({ [OLDER]: ['object'] }))).group, OLDER)
})

test('an object that is not in the group that is served is not found, and the other group is named', async () => {
  const asked = find(cluster({ 'evenkeel.dev': ['absent'] }))
  await assert.rejects(asked, {
    code: 'rollout.not-found',
    message: /as far as it could be asked: a page of a gateway/,
  })
})

test('a page of a gateway hides neither an object nor that its name is ambiguous', async () => {
  assert.equal((await find(cluster({ 'evenkeel.dev': [PAGE, 'object'] }), 'evenkeel.dev')).group, 'evenkeel.dev')
  const both = cluster({ 'evenkeel.dev': [PAGE, 'object'], [OLDER]: ['object'] })
  await assert.rejects(find(both), { code: 'rollout.ambiguous' })
})
