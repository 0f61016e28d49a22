//! The MCP server: lists the run's tools and passes calls on.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ErrorData, Implementation, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, ServerCapabilities, ServerConfig,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{RoleServer, ServerHandler};

use super::answer;
use super::handover::Handover;
use super::tool::{Call, HostCallError, Tool};

/// Instructions that the host's model gets before its first call.
const INSTRUCTIONS: &str = include_str!("../../assets/mcp_instructions.txt");

/// How often to send progress to a host that asked for it, while a call is in progress.
const PROGRESS: Duration = Duration::from_secs(5);

/// The server of one host.
pub(super) struct Server {
    handover: Arc<Handover>,
}

impl Server {
    pub(super) fn new(handover: Arc<Handover>) -> Server {
        Server { handover }
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("franz", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    /// Notifies the host whenever the person switches tools on or off in the dashboard.
    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let handover = Arc::clone(&self.handover);
        tokio::spawn(async move {
            let Ok(mut known) = handover.tools().await else { return };
            loop {
                known = handover.other_tools(&known).await;
                if context.peer.notify_tool_list_changed().await.is_err() {
                    return;
                }
            }
        });
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.handover.tools().await;
        let tools = tools.map_err(|why| ErrorData::internal_error(format!("FRANZ cannot start: {why}"), None))?;
        Ok(ListToolsResult::with_all_items(
            tools.iter().map(Tool::described).collect(),
        ))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tools = match self.handover.tools().await {
            Ok(tools) => tools,
            Err(why) => return Ok(answer::failure(&format!("FRANZ cannot start: {why}")).into()),
        };
        let call = match Call::read(&request.name, request.arguments, &tools) {
            Ok(call) => call,
            Err(error @ HostCallError::Unknown { .. }) => {
                return Err(ErrorData::invalid_params(error.to_string(), None));
            }
            Err(error) => return Ok(answer::failure(&error.to_string()).into()),
        };
        let shows = call.shows;
        let handover = Arc::clone(&self.handover);
        let withdrawn = context.ct.clone();
        // Use a separate task, because once the agent has the call, its result must be received even if the host no
        // longer wants it.
        let mut doing = tokio::spawn(async move { handover.call(&call, || withdrawn.is_cancelled()).await });
        let mut progress = 0.0;
        loop {
            tokio::select! {
                told = &mut doing => {
                    let told = told.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
                    return Ok(answer::of(told, shows).into());
                }
                () = tokio::time::sleep(PROGRESS) => {
                    progress += 1.0;
                    self.tell_progress(&context, progress).await;
                }
            }
        }
    }
}

impl Server {
    async fn tell_progress(&self, context: &RequestContext<RoleServer>, progress: f64) {
        let Some(token) = context.meta.get_progress_token() else {
            return;
        };
        let words = self.handover.waits_for().unwrap_or_else(|| "still at it".to_owned());
        let told = ProgressNotificationParam::new(token, progress).with_message(words);
        // If the host no longer listens, it has left, which other code notices.
        let _ = context.peer.notify_progress(told).await;
    }
}
