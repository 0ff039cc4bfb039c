import { z } from 'zod'
import { exactlyOneOf } from './cross-rules.ts'
import { fieldMeta, section } from './section.ts'
import { textField } from './text-field.ts'

/** Where a secret is read; the file never contains it. */
export const secretSection = (description: string) =>
  section(
    {
      env: textField({
        title: 'variable',
        pattern: /^[A-Za-z_][A-Za-z0-9_]*$/,
        rule: 'the name of an environment variable',
        description: 'The environment variable that holds it, in the process of the roll.',
        example: 'SLACK_TOKEN',
      }).exactOptional(),
      file: textField({
        title: 'path',
        pattern: /^\/[^\u0000-\u001f\u007f]+$/,
        rule: 'an absolute path',
        maxLength: 4096,
        description: 'The file that holds it; white space around it is left out.',
        example: '/run/secrets/slack-token',
      }).exactOptional(),
    },
    description,
  ).superRefine(exactlyOneOf(['env', 'file'], 'env: SLACK_TOKEN'), { when: () => true })

/** Headers of a request, their values read elsewhere. */
export const headersField = (description: string) =>
  z
    .array(
      section(
        {
          name: textField({
            title: 'header name',
            pattern: /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/,
            rule: 'a header name',
            description: 'Name of the header.',
            example: 'Authorization',
          }),
          valueFrom: secretSection('Where its whole value is read.'),
        },
        'One header.',
      ),
    )
    .meta(fieldMeta('list', { description }))
    .prefault([])
