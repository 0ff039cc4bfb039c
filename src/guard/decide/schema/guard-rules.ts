import { OWNER_NAME } from '../../../ground/model/claims.ts'
import { rulesOf } from '../../../ground/model/schema/field-rule.ts'
import { GUARD_DEFAULTS as D, GUARD_NAME_MAX } from '../../model/guard-defaults.ts'
import { HOLD_KINDS } from '../../model/holds/hold-kinds.ts'

/** `volumes, pods and annotation`. */
export const ALL_KINDS = HOLD_KINDS.join(', ').replace(/, (\w+)$/, ' and $1')

/** What a NodeGuard is refused for beyond a field that is wrong by itself. */
const GUARD_RULES = {
  oneTarget: {
    field: 'spec.follow',
    message: 'follow names both a DaemonSet and labels of nodes, or neither',
    fix: 'keep one of follow.daemonSet and follow.nodeSelector',
  },
  modeChanged: {
    field: 'spec.mode',
    message: 'mode is changed, and all guards would have to be made anew while nodes may be waiting to be drained',
    fix: 'keep mode, or make another NodeGuard with the other mode and remove this one once all of its nodes are guarded',
  },
  groupChanged: {
    field: 'spec.group',
    message:
      'group is changed, and a node that is being drained would lose the slot and the claim that the old group holds for it',
    fix: 'keep group, or make another NodeGuard in the other group and remove this one once all of its nodes are guarded',
  },
  groupName: {
    field: 'spec.group',
    message: 'the name of the group cannot stand in a claim on a Node, which other programs read',
    fix: 'begin it with a letter or digit, and use letters, digits, ".", "_", "@" and "-"',
  },
  oneSource: {
    field: 'spec.holds[].volumes',
    message: `a hold has not exactly one of ${ALL_KINDS}`,
    fix: 'keep one of them in each hold; write a hold for each of the others',
  },
  name: {
    field: 'metadata.name',
    message: `the name is longer than ${GUARD_NAME_MAX} characters or no DNS label, and names of Deployments and pods are made from it`,
    fix: `choose a name of at most ${GUARD_NAME_MAX} lower-case letters, digits and "-" that begins and ends with a letter or digit`,
  },
} as const

const rulesAt = rulesOf(GUARD_RULES)

/** Of one hold. */
export const HOLD_RULES = rulesAt('spec.holds[]', {
  oneSource: [
    `[${HOLD_KINDS.map((source) => `has(self.${source})`).join(', ')}].filter(is, is).size() == 1`,
    (self) => HOLD_KINDS.filter((source) => !self.at(source).absent).length === 1,
  ],
})

/** Of `spec`. */
export const SPEC_RULES = rulesAt('spec', {
  oneTarget: [
    'has(self.follow.daemonSet) != has(self.follow.nodeSelector)',
    (self) => self.at('follow').at('daemonSet').absent !== self.at('follow').at('nodeSelector').absent,
  ],
  modeChanged: [
    "(has(self.mode) ? self.mode : 'PerNode') == (has(oldSelf.mode) ? oldSelf.mode : 'PerNode')",
    (self, old) => old === undefined || self.at('mode').textOr('PerNode') === old.at('mode').textOr('PerNode'),
  ],
  groupChanged: [
    `(has(self.group) ? self.group : '${D.group}') == (has(oldSelf.group) ? oldSelf.group : '${D.group}')`,
    (self, old) => old === undefined || self.at('group').textOr(D.group) === old.at('group').textOr(D.group),
  ],
  groupName: [
    `!has(self.group) || self.group.matches('${OWNER_NAME}')`,
    (self) => new RegExp(OWNER_NAME, 'u').test(self.at('group').textOr(D.group)),
  ],
})

const NAME = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'

/** Of the object. */
export const OBJECT_RULES = rulesAt('', {
  name: [
    `size(self.metadata.name) <= ${GUARD_NAME_MAX} && self.metadata.name.matches('${NAME}')`,
    (self) => {
      const name = self.at('metadata').at('name').textOr('')
      return name.length <= GUARD_NAME_MAX && new RegExp(NAME, 'u').test(name)
    },
  ],
})
