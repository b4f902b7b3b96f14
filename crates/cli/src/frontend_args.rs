//! The flags that belong to languages, as the front ends declare them.

use clap::builder::TypedValueParser;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use threadwise_frontends::{FrontendOption, Options, all_options};

/// What was said about how to read the program.
#[derive(Debug)]
pub struct FrontendArgs {
    /// For the front end.
    pub options: Options,
}

impl Args for FrontendArgs {
    fn augment_args(command: Command) -> Command {
        all_options().into_iter().fold(command, |command, option| command.arg(flag(option)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        FrontendArgs::augment_args(command)
    }
}

fn flag(option: &'static FrontendOption) -> Arg {
    let Some(value_name) = option.value_name else {
        return Arg::new(option.long).long(option.long).help(option.help).action(ArgAction::SetTrue);
    };
    let checked = clap::builder::NonEmptyStringValueParser::new().try_map(|text| (option.check)(&text).map(|()| text));
    let arg = Arg::new(option.long).long(option.long).value_name(value_name).help(option.help);
    let arg = arg.action(ArgAction::Append).value_parser(checked);
    match option.short {
        Some(short) => arg.short(short),
        None => arg,
    }
}

impl FromArgMatches for FrontendArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<FrontendArgs, clap::Error> {
        let mut options = Options::default();
        for option in all_options() {
            if option.value_name.is_none() {
                if matches.get_flag(option.long) {
                    options.add(option, "");
                }
                continue;
            }
            let values = matches.get_many::<String>(option.long).into_iter().flatten();
            values.for_each(|value| options.add(option, value));
        }
        Ok(FrontendArgs { options })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = FrontendArgs::from_arg_matches(matches)?;
        Ok(())
    }
}
