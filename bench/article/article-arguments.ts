import { parseArgs } from 'node:util'

/** In the order of the tables. */
const PLANS = ['cordon', 'kured', 'naive', 'balancer', 'service', 'staged', 'evenkeel', 'evenkeel-no-stage'] as const
export type Plan = (typeof PLANS)[number]

/** What is wrong with what the user gave, and how to put it right. */
export interface Refusal {
  readonly what: string
  readonly fix: string
}

export interface ArticleArguments {
  readonly runs: number
  readonly plans: readonly Plan[]
  readonly output: 'text' | 'json'
  readonly documents?: string
  /** A checkout of kured's source. */
  readonly kured?: string
}

export const isRefusal = (value: object): value is Refusal => 'fix' in value

const USAGE = `npm run article -- [--runs N] [--plan ${PLANS.join('|')}]... [--kured DIR] [-o text|json] [--documents FILE]`
const refuse = (what: string, fix = USAGE): Refusal => ({ what, fix })
const isPlan = (text: string): text is Plan => PLANS.some((plan) => plan === text)

const OPTIONS = {
  runs: { type: 'string', default: '1' },
  plan: { type: 'string', multiple: true },
  kured: { type: 'string' },
  output: { type: 'string', short: 'o', default: 'text' },
  documents: { type: 'string' },
} as const

/** Without `--plan` all plans run, but `kured` only if its source is given. */
export function articleArguments(words: readonly string[]): ArticleArguments | Refusal {
  const values = parsed(words)
  if (isRefusal(values)) return values
  const { plan: named, kured, output, documents } = values
  const runs = Number(values.runs)
  if (!Number.isSafeInteger(runs) || runs < 1) return refuse(`--runs ${values.runs}: this is not a number from 1 up`)
  if (output !== 'text' && output !== 'json') return refuse(`--output ${output}: there is no such form`)
  const unknown = named?.find((text) => !isPlan(text))
  if (unknown !== undefined) return refuse(`--plan ${unknown}: there is no such plan`)
  if (kured === '') return refuse('--kured: the directory is empty')
  if (kured === undefined && named?.includes('kured') === true)
    return refuse(
      '--plan kured needs the source of kured',
      'add --kured DIR, a checkout of github.com/kubereboot/kured',
    )
  const plans = named?.filter(isPlan) ?? PLANS.filter((plan) => plan !== 'kured' || kured !== undefined)
  return {
    runs,
    plans,
    output,
    ...(documents === undefined ? {} : { documents }),
    ...(kured === undefined ? {} : { kured }),
  }
}

function parsed(words: readonly string[]) {
  try {
    return parseArgs({ args: [...words], options: OPTIONS }).values
  } catch (error) {
    // parseArgs says in one sentence which word it does not know.
    return refuse(error instanceof Error ? error.message : String(error))
  }
}
