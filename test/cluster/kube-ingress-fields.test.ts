import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe } from 'node:test'
import { IngressApiGround } from '../support/ingress-api/ingress-api-ground.ts'
import { requires } from '../support/requires.ts'
import { refusedRequests } from '../support/roll-bed/audit.ts'
import { fieldsOfHealth } from './ingress-fields/health.ts'
import { fieldsOfLimits } from './ingress-fields/limits.ts'
import { fieldsOfMarks } from './ingress-fields/marks.ts'
import { fieldsOfPlaces } from './ingress-fields/places.ts'
import { fieldsOfWords } from './ingress-fields/words.ts'

const ACCOUNT = 'system:serviceaccount:evenkeel:evenkeel-agent-controller'

/** Each field of an IngressDaemonSet, by the meaning that the page of the original gives it. All of them at once. */
describe('on a real API server', { ...requires('testbed', 'helm'), concurrency: true }, () => {
  let opened: IngressApiGround | undefined
  const ground = (): IngressApiGround => {
    assert.ok(opened)
    return opened
  }

  before(async () => {
    // Room for every object here at once.
    opened = await IngressApiGround.open('20')
    await opened.controller()
  })
  after(async () => {
    if (opened === undefined) return
    const lines = readFileSync(opened.bed.auditLog, 'utf8').split('\n')
    const failures = opened.failures()
    await opened.close()
    const asked = lines.filter((line) => line !== '')
    assert.deepEqual([failures, refusedRequests(asked, ACCOUNT)], [[], []], 'the rights of the chart are enough')
  })

  fieldsOfPlaces(ground)
  fieldsOfLimits(ground)
  fieldsOfMarks(ground)
  fieldsOfWords(ground)
  fieldsOfHealth(ground)
})
