import type { Condition } from '../../../ground/model/schema/field-rule.ts'
import type { Untrusted } from '../../../ground/model/untrusted.ts'
import type { IngressRuleName } from './rule-texts.ts'

const POD = 'self.template.spec'
const METADATA = 'self.template.metadata'
const podOf = (self: Untrusted): Untrusted => self.at('template').at('spec')
const metadataOf = (self: Untrusted): Untrusted => self.at('template').at('metadata')
const labelsOf = (self: Untrusted): Readonly<Record<string, string>> => metadataOf(self).at('labels').textMap()

/** What the controller sets on pods itself. */
const PREFIXES = ['evenkeel.dev/', 'ingressdaemonsets.mumoshu.github.io/']
const LABELS = ['ingress-daemon-for-node', 'pod-template-hash']
const CEL_OURS = PREFIXES.map((prefix) => `k.startsWith('${prefix}')`).join(' || ')
const isOurs = (key: string): boolean => PREFIXES.some((prefix) => key.startsWith(prefix))

export const TEMPLATE_CONDITIONS: Partial<Record<IngressRuleName, Condition>> = {
  nodeName: [`!has(${POD}.nodeName) || ${POD}.nodeName == ''`, (self) => podOf(self).at('nodeName').textOr('') === ''],
  restartPolicy: [
    `!has(${POD}.restartPolicy) || ${POD}.restartPolicy == 'Always'`,
    (self) => podOf(self).at('restartPolicy').textOr('Always') === 'Always',
  ],
  activeDeadline: [`!has(${POD}.activeDeadlineSeconds)`, (self) => podOf(self).at('activeDeadlineSeconds').absent],
  noLabels: [
    `has(${METADATA}) && has(${METADATA}.labels) && ${METADATA}.labels.size() > 0`,
    (self) => Object.keys(labelsOf(self)).length > 0,
  ],
  reservedLabel: [
    `!has(${METADATA}) || !has(${METADATA}.labels) || !${METADATA}.labels.exists(k, ${CEL_OURS} || k in [${LABELS.map((key) => `'${key}'`).join(', ')}])`,
    (self) => !Object.keys(labelsOf(self)).some((key) => isOurs(key) || LABELS.includes(key)),
  ],
  reservedAnnotation: [
    `!has(${METADATA}) || !has(${METADATA}.annotations) || !${METADATA}.annotations.exists(k, ${CEL_OURS})`,
    (self) => !Object.keys(metadataOf(self).at('annotations').textMap()).some(isOurs),
  ],
  selectorMisses: [
    `!has(self.selector) || (has(${METADATA}) && has(${METADATA}.labels) && self.selector.matchLabels.all(k, k in ${METADATA}.labels && ${METADATA}.labels[k] == self.selector.matchLabels[k]))`,
    (self) => {
      const labels = labelsOf(self)
      return Object.entries(self.at('selector').at('matchLabels').textMap()).every(
        ([key, value]) => labels[key] === value,
      )
    },
  ],
  selectorsDisagree: [
    `!has(self.nodeSelector) || !has(${POD}.nodeSelector) || self.nodeSelector.all(k, !(k in ${POD}.nodeSelector) || ${POD}.nodeSelector[k] == self.nodeSelector[k])`,
    (self) => {
      const ofPod = podOf(self).at('nodeSelector').textMap()
      return Object.entries(self.at('nodeSelector').textMap()).every(([key, value]) => (ofPod[key] ?? value) === value)
    },
  ],
}
