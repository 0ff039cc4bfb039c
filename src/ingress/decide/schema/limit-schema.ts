import type { Schema } from '../../../ground/model/schema/open-api.ts'
import type { Untrusted } from '../../../ground/model/untrusted.ts'

const PERCENT = '^(0|[1-9][0-9]?|100)%$'

/** So many, or a percentage. */
export const limit = (description: string, max: number): Schema => ({
  description,
  'x-kubernetes-int-or-string': true,
  maxLength: 16,
  rules: [
    {
      rule: 'notALimit',
      below: '',
      message: `neither a number from 0 to ${max} nor a percentage`,
      fix: 'write a number without quotes, such as 2, or a percentage such as 25%',
      cel: `type(self) == int ? self >= 0 && self <= ${max} : self.matches('${PERCENT}')`,
      holds: ({ raw }) =>
        typeof raw === 'number' ? raw >= 0 && raw <= max : new RegExp(PERCENT, 'u').test(String(raw)),
    },
  ],
})

/** In CEL: the field is there and neither 0 nor 0%. */
export const celOn = (at: string): string => `(has(${at}) && (type(${at}) == int ? ${at} >= 1 : ${at} != '0%'))`
/** In CEL: the field is there and is 0 or 0%. */
export const celOff = (at: string): string => `(has(${at}) && (type(${at}) == int ? ${at} < 1 : ${at} == '0%'))`

export const isOn = (limit: Untrusted): boolean => !limit.absent && !isZero(limit.raw)
export const isOff = (limit: Untrusted): boolean => !limit.absent && isZero(limit.raw)

const isZero = (value: unknown): boolean => (typeof value === 'number' ? value < 1 : value === '0%')
