import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GUARD_FAULTS, guardObject } from '../../support/guard/guard-faults.ts'
import type { GuardApiGround } from '../../support/guard-api/guard-api-ground.ts'
import { conditionOf } from '../../support/ingress-api/api-object.ts'
import { objectHold } from './kinds.ts'

type Ground = () => GuardApiGround

const GUARDS = '/apis/evenkeel.dev/v1alpha1/namespaces/default/nodeguards'

const UNUSABLE: readonly (readonly [name: string, title: string, hold: object, field: RegExp])[] = [
  [
    'no-cel',
    'an expression that cannot be used',
    objectHold('x', 'object.data.('),
    /^spec\.holds\[0\]\.object\.clearWhen: /,
  ],
  ['no-url', 'a URL that cannot be used', { http: { url: 'ftp://example.com/' } }, /^spec\.holds\[0\]\.http\.url: /],
  [
    'no-metadata',
    'a URL of an address that gives credentials',
    { http: { url: 'http://169.254.169.254/latest' } },
    /^spec\.holds\[0\]\.http\.url: .*metadata/,
  ],
  [
    'no-path',
    'a path that cannot be used',
    { http: { url: 'http://example.com/', jsonPath: '$..[', equals: 'x' } },
    /^spec\.holds\[0\]\.http\.jsonPath: /,
  ],
]

export function refusedGuards(ground: Ground): void {
  for (const [name, title, hold, field] of UNUSABLE) {
    test(`${title} refuses the NodeGuard, with the field`, async () => {
      await ground().mustAsk('POST', GUARDS, guardObject({ group: name, holds: [{ name: 'it', ...hold }] }, name))
      const guard = () =>
        ground()
          .view.now('guards')
          .find(({ metadata }) => metadata.name === name)
      await ground().until(`${name} to be refused`, () => {
        const found = guard()
        return found !== undefined && conditionOf(found, 'Stalled') === 'True GuardRefused'
      })
      const conditions = guard()?.status?.conditions as readonly { readonly type: string; readonly message: string }[]
      assert.match(conditions.find(({ type }) => type === 'Stalled')?.message ?? '', field)
    })
  }

  for (const { rule, object, field } of GUARD_FAULTS) {
    test(`the API server refuses a NodeGuard by the rule ${rule} of the CustomResourceDefinition: ${JSON.stringify(object.spec).slice(0, 60)}`, async () => {
      const { status, body } = await ground().api('POST', `${GUARDS}?dryRun=All`, object)
      const { causes } = (body as { details: { causes: readonly { readonly field: string }[] } }).details
      assert.equal(status, 422)
      assert.ok(
        causes.some((cause) => field.startsWith(cause.field)),
        JSON.stringify(causes),
      )
    })
  }

  test('a NodeGuard that makes sense is taken as it is written', async () => {
    const object = guardObject({ holds: [{ name: 'volumes', volumes: {} }], maxHold: { seconds: 60 } }, 'of-sense')
    assert.equal((await ground().api('POST', `${GUARDS}?dryRun=All&fieldValidation=Strict`, object)).status, 201)
  })
}
