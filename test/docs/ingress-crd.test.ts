import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { parse } from 'yaml'
import { ingressSchema } from '../../src/ingress/decide/schema/ingress-schema.ts'
import { validateIngress } from '../../src/ingress/decide/validate.ts'
import { correctedExample, firstExample, originalExample } from '../support/ingress/ingress-examples.ts'
import { silentFields } from '../support/silent-fields.ts'

test('each field of an IngressDaemonSet says what it means, and a field of the spec what holds without it', () => {
  assert.deepEqual(silentFields(ingressSchema()), [])
})

describe('the example', () => {
  const errorsOf = (object: object) => validateIngress(object).filter(({ severity }) => severity === 'error')

  test('of the original is refused for each contradiction, with a way out', () => {
    const found = errorsOf(originalExample()).map(({ field, text, fix }) => `${field}: ${text}; ${fix}`)
    const wanted = [
      /rollingUpdate\.maxDegradedNodes: maxUnavailableNodes and maxDegradedNodes are both set.*remove maxDegradedNodes/,
      /rollingUpdate\.maxUnavailablePodsPerNode: .*replaces all pods of a detached node at the same time.*100%/,
      /rollingUpdate\.maxSurgedPodsPerNode: .*a detached node has no pod more/,
      /containers: the pods use hostNetwork and declare ports, .* a second pod .* could not bind.*podsPerNode to 1/,
    ]
    assert.equal(found.length, wanted.length)
    for (const says of wanted)
      assert.ok(
        found.some((line) => says.test(line)),
        `${says}\n${found.join('\n')}`,
      )
  })

  for (const [name, example] of [
    ['ingress-daemonset.yaml', correctedExample],
    ['ingress-first.yaml', firstExample],
  ] as const) {
    test(`that is shipped as ${name} is right`, () => {
      const [ingress = {}] = example()
      assert.deepEqual(validateIngress(ingress), [])
    })
  }

  test('that is shipped as ingress-first.yaml says what the page about it says, and all else that it says is about its pods', () => {
    const [shipped = {}] = firstExample() as readonly Record<string, unknown>[]
    const page = readFileSync(new URL('../../docs/ingress.md', import.meta.url), 'utf8')
    const [, text = ''] = page.match(/## A first IngressDaemonSet\n\n```yaml\n([\s\S]*?)```/) ?? []
    const onPage = parse(text) as Record<string, unknown>
    const withoutContainers = ({ spec, ...rest }: Record<string, unknown>) => {
      const { template, ...others } = spec as Record<string, unknown>
      return { ...rest, spec: { ...others, labels: (template as { readonly metadata: unknown }).metadata } }
    }
    assert.deepEqual(withoutContainers(shipped), withoutContainers(onPage))
    const { healthCheckNodePorts } = shipped.spec as { readonly healthCheckNodePorts: readonly number[] }
    const file = readFileSync(new URL('../../deploy/examples/ingress-first.yaml', import.meta.url), 'utf8')
    assert.ok(file.includes(`http://NODE:${healthCheckNodePorts[0]}/nodecheck`))
  })
})
