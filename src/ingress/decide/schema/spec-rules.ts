import type { Condition } from '../../../ground/model/schema/field-rule.ts'
import type { Untrusted } from '../../../ground/model/untrusted.ts'
import { INGRESS_DEFAULTS, INGRESS_NAME_MAX } from '../../model/ingress-defaults.ts'
import { HOST_PORT_CONDITIONS } from './host-port-rules.ts'
import { rulesAt } from './rule-texts.ts'
import { TEMPLATE_CONDITIONS } from './template-rules.ts'

const ROLLING = 'self.updateStrategy.rollingUpdate'
const HAS_ROLLING = 'has(self.updateStrategy) && has(self.updateStrategy.rollingUpdate)'
const rollingOf = (self: Untrusted): Untrusted => self.at('updateStrategy').at('rollingUpdate')

const celOr = (field: string, fallback: number): string => `(has(${field}) ? ${field} : ${fallback})`

const { graceSeconds, attachGraceSeconds, minReadySeconds, progressDeadlineSeconds, podsPerNode } = INGRESS_DEFAULTS

/** The marks, and the seconds of one that is not there. */
const MARKS = {
  annotateDeploymentToDetach: graceSeconds,
  annotateNodeToDetach: 0,
  waitForDetachmentByAnnotatedTimestamp: 0,
}

const celGrace = ([mark, absent]: readonly [string, number]): string =>
  `(${HAS_ROLLING} && has(${ROLLING}.${mark}) ? ${celOr(`${ROLLING}.${mark}.gracePeriodSeconds`, graceSeconds)} : ${absent})`

const DEADLINE: Condition = [
  `${[
    ...Object.entries(MARKS).map(celGrace),
    `(${HAS_ROLLING} ? ${celOr(`${ROLLING}.attachGraceSeconds`, attachGraceSeconds)} : ${attachGraceSeconds})`,
    celOr('self.minReadySeconds', minReadySeconds),
  ].join(' + ')} < ${celOr('self.progressDeadlineSeconds', progressDeadlineSeconds)}`,
  (self) => {
    const rolling = rollingOf(self)
    const graces = Object.entries(MARKS).map(([mark, absent]) =>
      rolling.at(mark).absent ? absent : rolling.at(mark).at('gracePeriodSeconds').integerOr(graceSeconds),
    )
    const waits = [
      ...graces,
      rolling.at('attachGraceSeconds').integerOr(attachGraceSeconds),
      self.at('minReadySeconds').integerOr(minReadySeconds),
    ]
    return (
      waits.reduce((sum, each) => sum + each, 0) < self.at('progressDeadlineSeconds').integerOr(progressDeadlineSeconds)
    )
  },
]

const isSameMap = (one: Untrusted, other: Untrusted): boolean => {
  const [first, second] = [one.textMap(), other.textMap()]
  return (
    Object.keys(first).length === Object.keys(second).length &&
    Object.entries(first).every(([key, value]) => second[key] === value)
  )
}

/** Of `spec`. */
export const SPEC_RULES = rulesAt('spec', {
  ...HOST_PORT_CONDITIONS,
  ...TEMPLATE_CONDITIONS,
  selectorChanged: [
    'has(self.selector) == has(oldSelf.selector) && (!has(self.selector) || self.selector == oldSelf.selector)',
    (self, old) => {
      if (old === undefined) return true
      const [now, before] = [self.at('selector'), old.at('selector')]
      return now.absent === before.absent && isSameMap(now.at('matchLabels'), before.at('matchLabels'))
    },
  ],
  moreReadyThanPods: [
    `!has(self.minReadyPodsPerNode) || self.minReadyPodsPerNode <= ${celOr('self.podsPerNode', podsPerNode)}`,
    (self) => self.at('minReadyPodsPerNode').integerOr(0) <= self.at('podsPerNode').integerOr(podsPerNode),
  ],
  deadlineTooShort: DEADLINE,
})

const NAME = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'

/** Of the object. */
export const OBJECT_RULES = rulesAt('', {
  name: [
    `size(self.metadata.name) <= ${INGRESS_NAME_MAX} && self.metadata.name.matches('${NAME}')`,
    (self) => {
      const name = self.at('metadata').at('name').textOr('')
      return name.length <= INGRESS_NAME_MAX && new RegExp(NAME, 'u').test(name)
    },
  ],
})
