import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sameProcessFindings } from '../../../../src/roll/decide/plan/same-process.ts'

const asked = (balancer: string, instance: string, onlyProcess?: string) => ({
  balancer,
  inspection: onlyProcess === undefined ? { instance } : { instance, onlyProcess },
})

test('two instances of one balancer that are one process leave the other process unasked', () => {
  assert.deepEqual(sameProcessFindings([asked('edge', 'lb-1', '7@1 lb'), asked('edge', 'lb-2', '7@1 lb')]), [
    {
      severity: 'error',
      code: 'BalancerSameProcess',
      text: 'lb-1 and lb-2 of balancer edge are one process of HAProxy: if there is another one, it would go on sending to nodes that are out',
      fix: 'give each instance the address of its own process, not that of the pair, or remove one of them from "instances"',
    },
  ])
})

test('two balancers of one process are meant, and so are processes of which nothing is known', () => {
  assert.deepEqual(sameProcessFindings([asked('edge', 'lb-1', '7@1 lb'), asked('api', 'lb-1-api', '7@1 lb')]), [])
  assert.deepEqual(sameProcessFindings([asked('edge', 'lb-1', '7@1 lb-1'), asked('edge', 'lb-2', '7@1 lb-2')]), [])
  assert.deepEqual(sameProcessFindings([asked('edge', 'lb-1'), asked('edge', 'lb-2')]), [])
})
