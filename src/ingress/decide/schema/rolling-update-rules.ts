import type { Condition } from '../../../ground/model/schema/field-rule.ts'
import type { Untrusted } from '../../../ground/model/untrusted.ts'
import { celOff, celOn, isOff, isOn } from './limit-schema.ts'
import { rulesAt } from './rule-texts.ts'

/** The right name of the field and the misspelt ones. */
const PODS = ['maxUnavailablePodsPerNode', 'maxUnavaiablePodsPerNode', 'maxUnavailablePodsPerNodes'] as const
const PODS_CEL = PODS.map((name) => `self.${name}`)
const podsOf = (self: Untrusted): readonly Untrusted[] => PODS.map((name) => self.at(name))

const DETACHES = celOn('self.maxUnavailableNodes')
const detaches = (self: Untrusted): boolean => isOn(self.at('maxUnavailableNodes'))

const REQUEST = 'self.annotateNodeToDetach'
const WAIT = 'self.waitForDetachmentByAnnotatedTimestamp'

const inert = (field: string): Condition => [
  `${DETACHES} || !has(self.${field})`,
  (self) => detaches(self) || self.at(field).absent,
]

const sameCel = (one: string, other: string): string => `(!has(${one}) || !has(${other}) || ${one} == ${other})`

/** Of `spec.updateStrategy.rollingUpdate`. */
export const ROLLING_UPDATE_RULES = rulesAt('spec.updateStrategy.rollingUpdate', {
  twoBudgets: [
    `!(${DETACHES} && ${celOn('self.maxDegradedNodes')})`,
    (self) => !(detaches(self) && isOn(self.at('maxDegradedNodes'))),
  ],
  noBudget: [
    `${DETACHES} || !${celOff('self.maxDegradedNodes')}`,
    (self) => detaches(self) || !isOff(self.at('maxDegradedNodes')),
  ],
  podsWhileDetached: [
    `!${DETACHES} || (${PODS_CEL.map((at) => `(!has(${at}) || ${at} == '100%')`).join(' && ')})`,
    (self) => !detaches(self) || podsOf(self).every((pods) => pods.absent || pods.raw === '100%'),
  ],
  surgeWhileDetached: [
    `!${DETACHES} || !${celOn('self.maxSurgedPodsPerNode')}`,
    (self) => !detaches(self) || !isOn(self.at('maxSurgedPodsPerNode')),
  ],
  noPodMoves: [
    `${DETACHES} || ${celOn('self.maxSurgedPodsPerNode')} || !(${PODS_CEL.map(celOff).join(' || ')})`,
    (self) => detaches(self) || isOn(self.at('maxSurgedPodsPerNode')) || !podsOf(self).some(isOff),
  ],
  waitWithoutRequest: [
    `!has(${WAIT}) || has(${REQUEST})`,
    (self) => self.at('waitForDetachmentByAnnotatedTimestamp').absent || !self.at('annotateNodeToDetach').absent,
  ],
  oneKeyForBoth: [
    `!has(${WAIT}) || !has(${REQUEST}) || (${WAIT}.key != ${REQUEST}.key && !${REQUEST}.key.startsWith(${WAIT}.key + '='))`,
    (self) => {
      const wait = self.at('waitForDetachmentByAnnotatedTimestamp').at('key')
      return wait.absent || wait.raw !== self.at('annotateNodeToDetach').at('key').textOr('').split('=', 1)[0]
    },
  ],
  valueTwice: [
    `!has(${REQUEST}) || !has(${REQUEST}.value) || !${REQUEST}.key.contains('=')`,
    (self) => {
      const request = self.at('annotateNodeToDetach')
      return request.at('value').absent || !request.at('key').textOr('').includes('=')
    },
  ],
  deploymentMarkInPlace: inert('annotateDeploymentToDetach'),
  nodeMarkInPlace: inert('annotateNodeToDetach'),
  waitInPlace: inert('waitForDetachmentByAnnotatedTimestamp'),
  aliasesDisagree: [
    PODS_CEL.flatMap((one, i) => PODS_CEL.slice(i + 1).map((other) => sameCel(one, other))).join(' && '),
    (self) => new Set(podsOf(self).flatMap((pods) => (pods.absent ? [] : [pods.raw]))).size < 2,
  ],
})
