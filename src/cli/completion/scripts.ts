export type Shell = 'bash' | 'zsh' | 'fish'

/** The script for a shell. It calls `evenkeel __complete` at every press of Tab, so it is never out of date. */
export const completionScript = (shell: Shell): string => SCRIPTS[shell]

/** `COMPREPLY` replaces only the text behind the last `=` or `:`, since bash splits words there. */
const BASH = `# bash completion for evenkeel. Load it with: source <(evenkeel completion bash)
_evenkeel() {
  local i n=-1 previous= word last words=() value cut prefix= line candidate shell_part=
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]//[\\"\\']/}
    word=\${word//\\\\/}
    last=$word
    # Bash splits at = and at :, which are part of a word here.
    if ((n >= 0)) && [[ $word =~ ^[=:]+$ || $previous =~ ^[=:]+$ ]]; then
      words[n]+=$word
    else
      words[++n]=$word
    fi
    previous=$word
  done
  value=\${words[n]}
  [[ $value == -*=* ]] && value=\${value#*=}
  [[ $last =~ ^[=:]+$ ]] && last=
  cut=$((\${#value} - \${#last}))
  # Where COMP_WORDBREAKS has no =, the whole word is replaced.
  ((cut < 0)) && prefix=\${words[n]%%=*}= cut=0
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :0 | :4 | :16) shell_part=$line ;;
      *)
        candidate=\${line%%$'\\t'*}
        candidate=\${candidate:cut}
        [[ $candidate == *[!A-Za-z0-9_./:=@%+,-]* ]] && printf -v candidate %q "$candidate"
        COMPREPLY+=("$prefix$candidate")
        ;;
    esac
  done < <(evenkeel __complete -- "\${words[@]}" 2>/dev/null)
  case $shell_part in
    :4) compopt +o default ;;
    :16) compopt +o default -o dirnames ;;
  esac 2>/dev/null
  return 0
}
complete -o default -o nosort -F _evenkeel evenkeel 2>/dev/null || complete -o default -F _evenkeel evenkeel
`

const ZSH = `#compdef evenkeel
# zsh completion for evenkeel. Load it with: source <(evenkeel completion zsh)
_evenkeel() {
  local line about shell_part
  local -a lines values
  lines=("\${(@f)$(evenkeel __complete -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)}")
  shell_part=$lines[-1]
  compset -P '-*='
  for line in "\${(@)lines[1,-2]}"; do
    about=
    [[ $line == *$'\\t'* ]] && about=\${line#*$'\\t'}
    values+=("\${\${line%%$'\\t'*}//:/\\\\:}\${about:+:$about}")
  done
  (( $#values )) && _describe -V value values
  case $shell_part in
    :0) _files ;;
    :16) _files -/ ;;
  esac
}
# As a file of $fpath this runs at the first press of Tab.
if [[ $funcstack[1] == _evenkeel ]]; then
  _evenkeel "$@"
else
  compdef _evenkeel evenkeel
fi
`

const FISH = `# fish completion for evenkeel. Load it with: evenkeel completion fish | source
function __evenkeel_complete
    set -l words (commandline -opc) (commandline -ct)
    set -e words[1]
    set -l prefix (string match -r -- '^-[^=]*=' $words[-1])
    set -l value (string replace -r -- '^-[^=]*=' '' $words[-1])
    set -l lines (evenkeel __complete -- $words 2>/dev/null)
    or return
    set -l shell_part $lines[-1]
    set -e lines[-1]
    switch $shell_part
        case ':0'
            set lines (__fish_complete_path "$value")
        case ':16'
            set lines (__fish_complete_directories "$value")
    end
    for line in $lines
        printf '%s\\n' "$prefix$line"
    end
end
complete -c evenkeel -f -k -a '(__evenkeel_complete)'
`

const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH }
