/** A flag with its value as words of a command; none where there is no value. */
export const flagWords = (flag: string, value: string | undefined): readonly string[] =>
  value === undefined ? [] : [flag, value]

/** The options by which a command reaches the same cluster. */
export const clusterWords = (place: {
  readonly context?: string | undefined
  readonly kubeconfig?: string | undefined
}): readonly string[] => [...flagWords('--context', place.context), ...flagWords('--kubeconfig', place.kubeconfig)]
