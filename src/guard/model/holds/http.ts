import { present } from '../../../ground/model/present.ts'
import { rulesOf } from '../../../ground/model/schema/field-rule.ts'
import { integer, object, text } from '../../../ground/model/schema/open-api.ts'
import { GUARD_DEFAULTS } from '../guard-defaults.ts'
import type { HoldKind } from './hold-kind.ts'

/** The answer of a URL. `url` may hold {node} and {address}. */
interface HttpHold {
  readonly url: string
  readonly jsonPath?: string
  readonly equals?: string
  readonly timeoutMs: number
}

const HTTP_RULES = rulesOf({
  equalsWithoutPath: {
    field: 'spec.holds[].http.equals',
    message: 'equals and jsonPath belong together, and only one of them is set',
    fix: 'set both, or neither: then each answer from 200 to 299 is clear',
  },
})('spec.holds[].http', {
  equalsWithoutPath: [
    'has(self.jsonPath) == has(self.equals)',
    (self) => self.at('jsonPath').absent === self.at('equals').absent,
  ],
})

export const http: HoldKind<HttpHold> = {
  schema: object(
    'The answer of a URL, asked by the controller. It is clear if the status is 200 to 299 and, with jsonPath, exactly one value is at that path and is the text of equals.',
    {
      url: text(
        'The URL. {node} stands for the name of the node, {address} for its address. Example: "http://{address}:9500/drain/{node}".',
        { minLength: 1, maxLength: 2_048 },
      ),
      jsonPath: text('Where the value is in the answer, as RFC 9535 writes it. Example: "$.status".', {
        minLength: 1,
        maxLength: 256,
      }),
      equals: text('The value that means that the hold is clear. Example: green.', { maxLength: 256 }),
      timeoutSeconds: integer(
        `Seconds for the whole answer. From 1 to 8; defaults to ${GUARD_DEFAULTS.httpTimeoutSeconds}.`,
        { minimum: 1, maximum: 8, default: GUARD_DEFAULTS.httpTimeoutSeconds },
      ),
    },
    { required: ['url'], rules: HTTP_RULES },
  ),
  parse: (field) => ({
    url: field.at('url').text(),
    ...present({ jsonPath: field.at('jsonPath').optionalText(), equals: field.at('equals').optionalText() }),
    timeoutMs: field.at('timeoutSeconds').integerOr(GUARD_DEFAULTS.httpTimeoutSeconds) * 1_000,
  }),
  clearText: ({ url, jsonPath, equals = '' }, node) =>
    `clear when GET ${url.replaceAll('{node}', node)} answers 2xx${jsonPath === undefined ? '' : ` with ${equals} at ${jsonPath}`}`,
}
